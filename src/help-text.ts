// What `fovea --help` prints.

import { hostNames } from './commands.ts';
import { laneNames } from './task-lanes.ts';

export const helpText = `Usage: fovea [command] [options]

Without a command: serves the Model Context Protocol over stdin and stdout. A host starts it so.

Services:
  platform    serves the embedded platform and its sign-in service over HTTP
                --host ADDRESS   address to listen on (127.0.0.1)
                --port PORT      port, 0 for any free one (8000)
                --data FOLDER    the folder of its data (platform in FOVEA_HOME)
  event-store serves the device Event Store over HTTP, with the same options (8001;
              event-store in FOVEA_HOME)
  http        serves the Model Context Protocol over HTTP at /mcp, with the same options (8002)
  worker      takes background tasks of a platform, beside those that serve it; --data FOLDER
                --lane LANE      only these (may be repeated): ${laneNames.slice(0, 4).join(', ')},
                                 ${laneNames.slice(4).join(', ')}

For people and scripts:
  tools       NAME: the arguments of a tool; without a name, lists all of them
                --json           for programs
  call        TOOL JSON: calls a tool and prints the answer; - reads the JSON from stdin
                --json           the facts of the answer as JSON; exit code 1 where it is an error
  open        shows in the browser what was made last, signed in by a link of one use;
              PROJECT, PROJECT/VERSION, projects, tasks, folders or trash: shows that
              PROJECT/review/JOB: images that wait for your decision
  setup       HOST …: writes Fovea into the configuration of hosts; without a name, lists them
                ${hostNames.slice(0, 5).join(', ')},
                ${hostNames.slice(5).join(', ')}
                --all            every host that is here
                --dry-run        shows the change, and writes nothing
                --undo           takes the last change back
                --tool-profile default|full|compact
                                 which tools the host is offered (FOVEA_TOOL_PROFILE)
                --files FOLDER   what tools may read and write (may be repeated; FOVEA_FILE_ROOTS)
  trainer     install NAME: sets up a trainer that comes along; list
                --python PROGRAM       the Python to use (the one on the PATH)
                --system-site-packages uses the packages of that Python, and fetches none
  doctor      checks the setup and names each mend; exit code 1 where something is wrong
                --json           for programs
                --stored COUNT   reads so many stored files by chance, or all, against their hashes;
                                 --data FOLDER; --after HASH goes on with all that follow
  sign-in     signs in to the service of the settings, with the browser
                --paste          the final address is pasted here: the browser is elsewhere
                --profile NAME   one sign-in of several (FOVEA_PROFILE)
  sign-out    revokes and forgets that sign-in (--profile NAME)
  status      says who is signed in, and until when (--profile NAME)

For the data of your own platform:
  migrate     moves datasets, labels, files, keys and tasks between a data folder and PostgreSQL;
              goes on where it was stopped; exit code 1 where something differs
                --from PLACE --to PLACE
                                 a data folder, and postgres://user@host/database
                --objects PLACE  files of the platform on PostgreSQL: s3://bucket/prefix, or a
                                 data folder (the data folder of the other side)
                --without-lost   leaves files behind that the source has lost

For the sign-in service of your own platform:
  account     add NAME, list, remove NAME: people who may sign in; the password comes from stdin
                --email ADDRESS  --workspace SLUG (may be repeated)  --data FOLDER
              password NAME: a new password, which signs out all browsers
                --sign-out       and all programs
  application add, list, remove ID: programs that may ask people to sign in
                --name NAME  --homepage URL  --redirect-uri URI (may be repeated)
                --auth client_secret_post|client_secret_basic|none
                --scope SCOPE (may be repeated; without it: all)  --visibility Internal|Unlisted|Public
                --desktop  --mcp  --resource URL  --data FOLDER

Options:
  --help      prints this text
  --version   prints the version

Settings come from environment variables. docs/settings.md lists them; fovea doctor shows those set.
`;
