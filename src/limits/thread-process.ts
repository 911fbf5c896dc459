// Limits of the process that holds threads.

export const threadProcessLimits = {
  /** It ends when its threads were idle for as long: it starts again in a tenth of a second. */
  threadProcessIdleMsMax: 10_000,
  /** It is killed where its threads have not ended by then: one may be inside a decoder. */
  threadProcessEndMsMax: 1_000,
} as const;
