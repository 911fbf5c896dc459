// Bounds: what is asked of people, calls that are remembered, answers that are kept, tasks.

export const mcpLimits = {
  // Consent.

  /** Somebody at the screen answers within it; hosts that drop the question never do. */
  consentMsMax: 45_000,
  /** A question that is older than this is asked anew: its target may be another by then. */
  consentSecondsMax: 300,
  /** Answers that were used, so that none is used twice; far more than are asked in that time. */
  consentsRememberedMax: 1_000,

  // The journal of calls that change something.

  /** A model that repeats itself does so within two minutes. */
  repeatWindowSeconds: 120,
  /** An hour: later, an equal call is meant. */
  repeatWindowSecondsMax: 3_600,
  /** Rows: a week of hard work. */
  journalRowsMax: 10_000,
  journalDaysMax: 7,
  /** A result that is larger is not kept: the repeated call is told to look at the thing itself. */
  journalResultCharactersMax: 64 * 1024,
  /** A call without an answer is looked for within an hour; later, an equal one is meant anew. */
  lostCallSecondsMax: 3_600,
  /** What was sent may still be under way: it is looked for no sooner. */
  lostCallSettleMs: 2_000,
  /** Clocks of this machine and of a service differ by no more, or doctor says so. */
  clockDifferenceMsMax: 60_000,
  /** A process says so often that its calls still run … */
  journalBeatMs: 5_000,
  /** … and is taken for dead after so long without a word: a sleeping machine wakes within it. */
  journalLeaseMs: 20_000,
  /** How often is looked whether the same call of another process has ended. */
  journalWaitMs: 100,
  /** Rows are cleaned away after so many new ones, and at the start. */
  journalCleanEvery: 500,
  /** A key of a host is a UUID or a hash. */
  idempotencyKeyCharactersMax: 200,
  /** How often a target that changes while it is asked about is asked about. */
  consentRoundsMax: 3,
  /** A host that dropped so many questions of one connection is asked no more. */
  consentsUnansweredMax: 2,

  // Answers that are too large for a model, kept as files.

  keptAnswersMax: 100,
  keptAnswerDaysMax: 7,
  keptAnswerBytesMax: 200 * 1024 * 1024,

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
