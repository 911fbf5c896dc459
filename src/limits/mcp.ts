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

  // Answers that are too large for a model, kept as files.

  keptAnswersMax: 100,
  keptAnswerDaysMax: 7,
  keptAnswerBytesMax: 200 * 1024 * 1024,

  // Tasks, resources, the parent.

  /** How often a host is told to ask for a task. */
  taskPollMs: 2_000,
  /** The text of one resource: as much as a model can read. */
  resourceCharactersMax: 60_000,
  /** Values of one completion (the protocol allows no more). */
  completionsMax: 100,
  /** Completions are typed letter by letter: what was read serves for so long. */
  completionMemoryMs: 30_000,
  /** How often is looked whether the process that started this one still lives. */
  parentCheckMs: 2_000,
} as const;
