// What clients of the hosted platform ask for and this platform does not have: a request of theirs
// whose address leads to nothing is answered with its words, not with those of another operation.

export interface NotServed {
  readonly path: RegExp;
  /** In words that follow a colon. */
  readonly what: string;
  /** Parameters that tell such a request from one of an operation whose address is the same. */
  readonly query?: readonly string[];
}

export const notServed: readonly NotServed[] = [
  { path: /^\/[^/]+\/devices\/v2(\/|$)/, what: 'devices' },
  {
    path: /^\/[^/]+\/model-evals(\/|$)/,
    what: 'evaluations of models',
    query: ['project', 'version', 'model', 'status'],
  },
  { path: /^(\/usage\/plan|\/[^/]+\/billing-usage-report)$/, what: 'plans and billing' },
  {
    path: /^\/[^/]+\/stats$/,
    what: 'statistics of labelling work',
    query: ['startDate', 'endDate'],
  },
  {
    path: /\/(uploadModel|models\/prepareUpload)$/,
    what: 'the upload of weights trained elsewhere; see FOVEA_MODEL',
  },
  { path: /\/ptFile$/, what: 'PyTorch weights; models here are ONNX files' },
  {
    path: /^\/models\/[^/]+\/./,
    what: 'a model by its address alone; see the models of its project',
  },
  { path: /^\/[^/]+\/models\/[^/]+\/favorite$/, what: 'the search for architectures' },
  { path: /^\/query\/cliAuthToken$/, what: 'a sign-in page that hands out tokens to paste' },
  { path: /^\/[^/]+\/workflows\/[^/]+\/versions$/, what: 'the history of a workflow' },
  {
    path: /^\/[^/]+\/[^/]+\/active_learning$/,
    what: 'the older settings of active learning; see deploy/active-learning',
  },
  {
    path: /^\/(add|get|list|pause|resume|delete|get_log|machine_types|usage_(workspace|deployment))$/,
    what: 'dedicated deployments',
    query: ['deployment_name', 'machine_type', 'from_timestamp', 'to_timestamp', 'max_entries'],
  },
];
