// The prompts as hosts list them. Constants alone: the texts are loaded with the first prompt.

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
}

export interface ListedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** Tools without which there is nothing to do. */
  readonly needs: readonly string[];
}

const project: PromptArgument = { name: 'project', description: 'Slug of the project.' };

export const prompts: readonly ListedPrompt[] = [
  {
    name: 'import_dataset',
    title: 'Import a dataset',
    description: 'Images and annotations into a project, and a check that all arrived.',
    arguments: [
      { name: 'source', description: 'Folder, zip file or URL.', required: true },
      { name: 'project', description: 'Slug of a project that is there; left out: a new one.' },
      { name: 'type', description: 'What is labelled, of a new project.' },
    ],
    needs: ['images_upload', 'projects_health'],
  },
  {
    name: 'audit_dataset',
    title: 'Audit a dataset',
    description: 'What is wrong with the images and labels of a project, without changing any.',
    arguments: [project],
    needs: ['projects_get', 'projects_health'],
  },
  {
    name: 'clean_dataset',
    title: 'Clean a dataset',
    description: 'Duplicates, leaks and wrong labels found, shown, and mended after a yes.',
    arguments: [project],
    needs: ['projects_health', 'images_annotate'],
  },
  {
    name: 'prepare_version',
    title: 'Prepare a version',
    description: 'A frozen version with settings that fit, previewed and counted first.',
    arguments: [
      project,
      { name: 'goal', description: 'What the model is for.' },
      { name: 'format', description: 'Format of the export, for example coco.' },
    ],
    needs: ['projects_health', 'versions_generate'],
  },
  {
    name: 'label_with_care',
    title: 'Label with care',
    description: 'Annotations for a batch: a few first, shown to you, then the rest.',
    arguments: [project, { name: 'batch', description: 'Id of the batch.' }],
    needs: ['projects_get', 'images_get', 'images_annotate'],
  },
  {
    name: 'diagnose_model',
    title: 'Diagnose a model',
    description: 'Why a model errs, with figures and pictures, and the one next step.',
    arguments: [
      project,
      { name: 'version', description: 'Version to judge by; left out: the newest.' },
      { name: 'question', description: 'What is wrong, such as: it misses platelets.' },
    ],
    needs: ['evaluations_create', 'evaluations_get'],
  },
  {
    name: 'investigate_events',
    title: 'Investigate events',
    description: 'What happened on the device, told apart from what may be behind it.',
    arguments: [
      { name: 'question', description: 'What you want to know.', required: true },
      { name: 'event_schema', description: 'Only events of this schema.' },
    ],
    needs: ['events_list', 'events_get'],
  },
  {
    name: 'clean_up',
    title: 'Clean up',
    description: 'A list of what could go, and nothing removed without your yes.',
    arguments: [{ ...project, description: 'Slug of a project; left out: all of them.' }],
    needs: ['workspace_get', 'projects_delete'],
  },
];
