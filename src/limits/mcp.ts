// Limits of the MCP server.

export const mcpLimits = {
  // Tool calls.

  /** Values in the arguments of a call; longer lists go by path. */
  toolArgumentElementsMax: 100_000,
  /** The settings of a version have four levels. */
  toolArgumentDepthMax: 32,
  /** About 20,000 tokens: hosts refuse or spill more than 25,000. */
  resultCharactersMax: 60_000,
  /** Before base64: hosts cut results of 1 MB in all. */
  resultImageBytesMax: 700 * 1024,
  /** More frequent progress is noise. */
  progressIntervalMs: 250,
  /** Estimate for JSON lists, measured with cl100k; `npm run tokens` counts exactly. */
  listCharactersPerToken: 4.4,

  // Elicitation.

  /** A present user answers within it; hosts that drop the question never do. */
  confirmationMsMax: 45_000,
  /** An older question is asked again: its target may have changed. */
  requestStateSecondsMax: 300,
  /** Used answers, which are never accepted twice. */
  redeemedStatesMax: 1_000,
  /** How often a target that changes meanwhile is asked about. */
  confirmationRoundsMax: 3,
  /** A host that cannot ask answers within it; an absent user is noticed later. */
  droppedQuestionMsMax: 5_000,
  /** Unanswered questions after which a host is not asked any more. */
  droppedQuestionsMax: 2,
  /** Time for asking the user whether a URL may be opened. */
  openUrlMsMax: 45_000,

  // Idempotency records.

  /** A model that repeats itself does so within two minutes. */
  repeatWindowSeconds: 120,
  /** After an hour an identical call is meant. */
  repeatWindowSecondsMax: 3_600,
  /** A week of hard work. */
  idempotencyRecordsMax: 10_000,
  /** A week. */
  idempotencyDaysMax: 7,
  /** Larger results are not stored: a repeated call must read the target itself. */
  storedResultCharactersMax: 64 * 1024,
  /** A status line that names long things; of a list of calls it is one of many. */
  pastCallSummaryCharactersMax: 300,
  /** A call without an answer is reconciled within an hour; later it is meant anew. */
  lostCallSecondsMax: 3_600,
  /** The request may still be running: reconciliation waits. */
  lostCallSettleMs: 2_000,
  /** Clocks of this machine and a service may differ by so much. */
  clockDifferenceMsMax: 60_000,
  /** Heartbeat interval of running calls. */
  callHeartbeatMs: 5_000,
  /** A process without a heartbeat is dead: a sleeping machine wakes within it. */
  callLeaseMs: 20_000,
  /** Poll interval for the same call of another process. */
  equalCallPollMs: 100,
  /** Another process may lock the file; calls that change something wait meanwhile. */
  idempotencyBusyMsMax: 1_000,
  /** New rows between two cleanups. */
  idempotencyCleanEvery: 500,
  /** Keys of hosts are UUIDs or hashes. */
  idempotencyKeyCharactersMax: 200,

  // Stored results.

  /** Results too large for a model, stored as files. */
  savedResultsMax: 100,
  /** A week. */
  savedResultDaysMax: 7,
  /** All stored results together. */
  savedResultBytesMax: 200 * 1024 * 1024,

  // Tasks, prompts, completions.

  /** Poll interval that hosts are told. */
  taskPollMs: 2_000,
  /** Facts in the id of a task, which travels in headers. */
  taskFactsCharactersMax: 1_000,
  /** Our ids are shorter; Node allows 16 KiB of headers. */
  taskIdCharactersMax: 4_000,
  /** An argument is typed by a person. */
  promptArgumentCharactersMax: 2_000,
  /** The maximum of the protocol. */
  completionsMax: 100,
  /** Completions are requested for each letter typed. */
  completionMemoryMs: 30_000,

  // stdio.

  /** One JSON-RPC message; files go by path, so real ones are far smaller. */
  rpcLineBytesMax: 16 * 1024 * 1024,
  /** Kept of each end of a longer one: its id is in one of them. */
  longLineEndBytes: 16 * 1024,
  /** `initialize` and `tools/list` of hosts have some hundred bytes. */
  firstLineBytesMax: 16_000,
  /** Twice what arguments may have, whose error says more. */
  rpcElementsMax: 200_000,
  /** Members of one object: those of the largest labelmap. */
  rpcMembersMax: 20_000,
  /** Invalid lines logged per second; further ones are counted. */
  strayLinesToldMax: 20,
  /** Requests read before the end of stdin are still answered for this time. */
  stdinGraceMs: 500,
  /** A stdio server ends within 2 s of a signal or the end of stdin. */
  stdioShutdownMsMax: 1_300,
  /** `fovea call` ends so long after a signal: its answer comes at once, and people wait for it. */
  callShutdownMsMax: 3_000,
  /** Interval of checking whether the parent process lives. */
  parentCheckMs: 2_000,

  // HTTP.

  /** A revoked token may be accepted for this time. */
  tokenCacheMs: 5_000,
  /** Unknown tokens are checked again sooner. */
  tokenCacheMissMs: 1_000,
  /** Far more than clients at once. */
  tokenCacheEntriesMax: 1_000,
  /** How long before their expiry tokens are exchanged again. */
  exchangeBeforeMs: 30_000,
  /** Invalid tokens must not flood the authorization server. */
  tokenChecksAtOnceMax: 32,
  /** Per network, or per person whose tokens were valid before. */
  tokenChecksOfCallerMax: 8,
  /** How long such a person is remembered. */
  tokenHolderKnownMs: 60 * 60 * 1000,
  /** One message, or a batch. */
  httpBodyBytesMax: 1024 * 1024,
  /** Below stdio: many callers share the process. */
  httpToolArgumentElementsMax: 10_000,
  /** Of one principal. */
  httpCallsPerMinuteMax: 600,
  /** Of one principal. */
  httpCallsAtOnceMax: 20,
} as const;
