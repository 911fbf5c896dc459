// The questions that ask a person to confirm a call, with what the service says of its target.

import type { annotation } from '../src/contract/annotation.ts';
import { apiKeys } from '../src/contract/api-keys.ts';
import { evaluations } from '../src/contract/evaluations.ts';
import { folders } from '../src/contract/folders.ts';
import type { images } from '../src/contract/images.ts';
import type { Input } from '../src/contract/operation.ts';
import { trainingExtensions, type trainings } from '../src/contract/trainings.ts';
import { versions } from '../src/contract/versions.ts';
import { asFoveaError, type ErrorCode } from '../src/errors.ts';
import { type ConfirmationPrompt, isOwnPlatform, type ToolContext } from '../src/mcp/tool.ts';
import { count, lastPart, quoted } from './format.ts';

const forGood = 'This cannot be undone.';

export async function confirmEvaluationDeletion(
  { workspace, project, evaluationId }: Input<typeof evaluations.evaluations_delete>,
  { client, signal }: ToolContext,
): Promise<ConfirmationPrompt> {
  const input = { workspace, project, evaluationId };
  const get = evaluations.evaluations_get;
  const answer = await readIfShown(() => client.call(get, input, { signal }));
  const { model, predictions, ap } = answer?.body ?? {};
  const facts = answer === undefined ? null : { model, predictions, ap };
  return { message: `Delete the evaluation ${quoted(evaluationId)}? ${forGood}`, facts };
}

export async function confirmFolderDeletion(
  { workspace, folderId }: Input<typeof folders.folders_delete>,
  { client, signal }: ToolContext,
): Promise<ConfirmationPrompt> {
  const input = { workspace, groupId: folderId };
  const answer = await readIfShown(() => client.call(folders.folders_list, input, { signal }));
  const folder = answer?.body.data.find(({ id }) => id === folderId);
  const { name = folderId, projects } = folder ?? {};
  const holds = projects === undefined ? '' : ` with ${count(projects.length, 'project')}`;
  const which = name === folderId ? quoted(folderId) : `${quoted(name)} (${quoted(folderId)})`;
  return {
    message: `Delete the folder ${which}${holds}? Its projects stay. ${forGood}`,
    facts: folder === undefined ? null : { name, projects },
  };
}

export async function confirmKeyRevocation(
  { workspace, keyId }: Input<typeof apiKeys.api_keys_revoke>,
  { client, signal }: ToolContext,
): Promise<ConfirmationPrompt> {
  const input = { workspace, keyId };
  const answer = await readIfShown(() => client.call(apiKeys.api_keys_get, input, { signal }));
  const { name, scopes, disabled } = answer?.body.apiKey ?? {};
  const which = name ? `${quoted(name)} (${quoted(keyId)})` : quoted(keyId);
  return {
    message: `Revoke the API key ${which}? Whatever uses it stops working. ${forGood}`,
    facts: { name, scopes, disabled },
  };
}

export async function confirmImageDeletion(
  { project, images: ids }: Input<typeof images.images_delete>,
  { settings }: Pick<ToolContext, 'settings'>,
): Promise<ConfirmationPrompt> {
  const undo = isOwnPlatform(settings) ? 'They stay in the trash for 30 days.' : forGood;
  const few = ids.length <= idsShownMax ? ` (${ids.map(quoted).join(', ')})` : '';
  return {
    message: `Delete ${count(ids.length, 'image')}${few} of the project ${quoted(lastPart(project))}, with their annotations? ${undo}`,
    // The ids are in the call; behind an id there is the same image for ever.
    facts: null,
  };
}

const idsShownMax = 5;

type Ending = Input<typeof trainings.trainings_cancel | typeof trainings.trainings_stop>;

/** `deed`: "Cancel" or "Stop". */
export async function confirmTrainingEnd(
  deed: string,
  { workspace, project, version, trainingId }: Ending,
  { client, signal }: ToolContext,
): Promise<ConfirmationPrompt> {
  const input = { workspace, project, version };
  // The API has no such list, so a platform may have trainings without it.
  const list = () => client.call(trainingExtensions.trainings_list, input, { signal });
  const answer = await readIfShown(list, 'not_found');
  const runs = answer?.body.trainings ?? [];
  const run = runs.find(({ trainingId: id, status }) =>
    trainingId === undefined ? openStates.includes(status) : id === trainingId,
  );
  const { modelType, status, epoch, epochs } = run ?? {};
  const far = epoch && epochs ? `, ${epoch} of ${epochs} epochs done` : '';
  const about = run
    ? ` (${modelType ? `${quoted(modelType)}, ` : ''}${quoted(run.status)}${far})`
    : '';
  return {
    message: `${deed} the training of version ${version} of ${quoted(lastPart(project))}${about}? ${forGood}`,
    // Without the progress, which changes while somebody reads.
    facts: { trainingId: run?.trainingId, status },
  };
}

const openStates = ['queued', 'running', 'stopping'];

export async function confirmTrainingCost(
  {
    workspace,
    project,
    version,
    modelType,
    epochs,
  }: Input<typeof trainingExtensions.trainings_start>,
  { client, signal, settings }: ToolContext,
): Promise<ConfirmationPrompt> {
  const input = { workspace, project, version };
  const answer = await readIfShown(() => client.call(versions.versions_get, input, { signal }));
  const images = answer?.body.version.images;
  const parts = [
    ...(images === undefined ? [] : [count(images, 'image')]),
    ...(epochs === undefined ? [] : [count(epochs, 'epoch')]),
  ];
  const size = parts.length > 0 ? ` (${parts.join(', ')})` : '';
  const model = modelType === undefined ? 'a model' : quoted(modelType);
  return {
    message: `Train ${model} on version ${version} of ${quoted(lastPart(project))}${size}? ${charges(settings.baseUrl, workspace)}`,
    facts: { images },
  };
}

export async function confirmAutolabelCost(
  {
    workspace,
    project,
    batchId,
    modelType,
    numImagesToLabel,
  }: Input<typeof annotation.autolabel_start>,
  { settings }: ToolContext,
): Promise<ConfirmationPrompt> {
  const figure =
    numImagesToLabel === undefined ? 'all images' : `up to ${count(numImagesToLabel, 'image')}`;
  return {
    message: `Let ${quoted(modelType)} label ${figure} of batch ${quoted(batchId)} of ${quoted(lastPart(project))}? ${charges(settings.baseUrl, workspace)}`,
    facts: null,
  };
}

/** No platform says beforehand how much it takes, and one's own takes none. */
function charges(baseUrl: string | undefined, workspace: string): string {
  const where = baseUrl === undefined ? '' : ` at ${new URL(baseUrl).host}`;
  return `It may use credits of the workspace ${quoted(workspace)}${where}; the platform counts how many.`;
}

/**
 * Reads from the service; undefined where it does not show the target, or in another shape: then
 * the question has only the names in the call. Throws for a target that is missing, and where the
 * deed itself could not be sent.
 */
async function readIfShown<Answer>(
  read: () => Promise<Answer>,
  alsoUnseen?: ErrorCode,
): Promise<Answer | undefined> {
  try {
    return await read();
  } catch (thrown) {
    const { code } = asFoveaError(thrown);
    if (code !== alsoUnseen && decisive.includes(code)) throw thrown;
    return undefined;
  }
}

const decisive: readonly ErrorCode[] = [
  'not_found',
  'unauthenticated',
  'rate_limited',
  'unreachable',
  'timed_out',
  'cancelled',
];
