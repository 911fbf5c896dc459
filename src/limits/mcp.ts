// Bounds of elicitation, idempotency records, saved results and tasks.

export const mcpLimits = {
  // Elicitation.

  /** A person at the screen answers within it; hosts that drop the question never do. */
  confirmationMsMax: 45_000,
  /** Older questions are asked again: their target may be another by then. */
  requestStateSecondsMax: 300,
  /**
   * Nonces of redeemed states, so that none is redeemed twice; far more than are sealed in that
   * time.
   */
  redeemedStatesMax: 1_000,

  // Idempotency records of calls that change something.

  /** A model that repeats itself does so within two minutes. */
  repeatWindowSeconds: 120,
  /** An hour: later, an equal call is meant. */
  repeatWindowSecondsMax: 3_600,
  /** Records per principal: a week of hard work. */
  idempotencyRecordsMax: 10_000,
  idempotencyDaysMax: 7,
  /** Larger results are not stored: a repeated call is told to look at the thing itself. */
  storedResultCharactersMax: 64 * 1024,
  /** A lost call is reconciled within an hour; a later equal call is meant anew. */
  lostCallSecondsMax: 3_600,
  /** A lost call may still be running: it is not reconciled sooner. */
  lostCallSettleMs: 2_000,
  /** Clocks of this machine and of a service differ by no more, or doctor says so. */
  clockDifferenceMsMax: 60_000,
  /** Interval of the heartbeat of running calls. */
  callHeartbeatMs: 5_000,
  /** A call without a heartbeat for so long is lost; a sleeping machine wakes within it. */
  callLeaseMs: 20_000,
  /** Interval at which the record of an equal running call is read. */
  equalCallPollMs: 100,
  /** How long another process may lock the file; all calls of this process wait meanwhile. */
  idempotencyBusyMsMax: 1_000,
  /** Old records are removed after so many new ones, and at the start. */
  idempotencyCleanEvery: 500,
  /** A key of a host is a UUID or a hash. */
  idempotencyKeyCharactersMax: 200,
  /** How often a target that keeps changing is asked about. */
  confirmationRoundsMax: 3,
  /**
   * A host that cannot ask answers with an error at once; a person who is away is reported later.
   */
  droppedQuestionMsMax: 5_000,
  /** A host that dropped so many questions of one connection is asked no more. */
  droppedQuestionsMax: 2,

  // Results that are too large for a model, saved as files.

  savedResultsMax: 100,
  savedResultDaysMax: 7,
  savedResultBytesMax: 200 * 1024 * 1024,

  // Tasks, resources, the parent.

  /** How often a host is told to ask for a task. */
  taskPollMs: 2_000,
  /** Facts of the first answer that go into the id of a task: more belongs into no header. */
  taskFactsCharactersMax: 1_000,
  /** An id of ours is shorter; Node takes 16 KiB of headers in all. */
  taskIdCharactersMax: 4_000,
  /** One argument of a prompt: a person types it, and a model reads it. */
  promptArgumentCharactersMax: 2_000,
  /** Values of one completion (the protocol allows no more). */
  completionsMax: 100,
  /** Completions are typed letter by letter: what was read serves for so long. */
  completionMemoryMs: 30_000,
  /** How often is looked whether the process that started this one still lives. */
  parentCheckMs: 2_000,

  // Setup and doctor.

  /** Configuration of a host: some keep their history in the same file. */
  configFileBytesMax: 64 * 1024 * 1024,
  /** A clock that is off by more makes tokens look expired, or not valid yet. */
  clockOffsetMsMax: 60_000,
  /** A database that is larger is not read through while a host waits: that takes seconds. */
  doctorStoreBytesMax: 256 * 1024 * 1024,
  /** Of our lists in JSON, measured with the tokens of cl100k: `npm run tokens` counts exactly. */
  listCharactersPerToken: 4.4,
} as const;
