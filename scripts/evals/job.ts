// A job in plain language, the state in which it begins, and the state in which it has to end.

export type Facts = Readonly<Record<string, unknown>>;

/** Calls a tool of Fovea; throws where it fails, and gives its facts. */
export type CallTool = (name: string, args?: Facts) => Promise<Facts>;

/** The state before an agent starts, and the checks after it has ended. */
export interface Scene {
  /** The folder that tools may read and write; `blood-cells/` in it is the sample. */
  readonly files: string;
  /** A tool call of ours, before the agent comes. */
  readonly setUp: CallTool;
  /** JSON of the platform, asked past all tools. The path begins behind the workspace. */
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  /** JSON of the Event Store. */
  event(path: string): Promise<unknown>;
}

export interface Job {
  readonly name: string;
  /** What a person would ask for. `{files}` stands for the folder of the scene. */
  readonly prompt: string;
  /** Whether it trains: where there is no trainer it cannot be done. */
  readonly trains?: boolean;
  seed(scene: Scene): Promise<void>;
  /** How it can be done, for the reference agent. */
  solve(call: CallTool, files: string): Promise<void>;
  /** Throws where the end state is another one. Judges the state alone, never what was said. */
  check(scene: Scene): Promise<void>;
}

export function promptOf(job: Job, files: string): string {
  return job.prompt.replaceAll('{files}', files);
}

/** Why the state is not the end state of the job; undefined: it is. */
export async function whyWrong(job: Job, scene: Scene): Promise<string | undefined> {
  try {
    await job.check(scene);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error
      ? thrown.message.replaceAll(/\s+/g, ' ').slice(0, 300)
      : String(thrown);
  }
}

/** The member at a dotted path; undefined if it does not exist. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, name) => {
    if (typeof found !== 'object' || found === null) return undefined;
    return Reflect.get(found, name);
  }, value);
}

/** The list at a dotted path; empty if it does not exist. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}

export const nothing = async (): Promise<void> => undefined;
