// From which score on boxes of a model count, and by how much they may overlap.

export interface Thresholds {
  /** The least score, 0 to 1. */
  readonly confidence: number;
  /** Of two boxes of a class that overlap by more (intersection over union), the better one. */
  readonly overlap: number;
}

/** What a model says of itself; undefined: nothing. */
export type OwnThresholds = { readonly [Name in keyof Thresholds]: number | undefined };

/** Where neither the caller nor the model says anything: those of the hosted platform. */
const defaults: Thresholds = { confidence: 0.4, overlap: 0.5 };

/** What the caller gives wins, then what the model says of itself; undefined: there is none. */
export function chooseThresholds(
  own: OwnThresholds | undefined,
  given: { readonly [Name in keyof Thresholds]?: number | undefined } = {},
): Thresholds {
  return {
    confidence: given.confidence ?? own?.confidence ?? defaults.confidence,
    overlap: given.overlap ?? own?.overlap ?? defaults.overlap,
  };
}

/**
 * `confidence` and `overlap` of the metadata, as the trainers that come along write them. Others
 * may mean something else by these words, so what is no share is passed over; so is a confidence
 * of 0, which a training writes that has found nothing.
 */
export function readThresholds(properties: ReadonlyMap<string, string>): OwnThresholds {
  const confidence = shareIn(properties.get('confidence'));
  return {
    confidence: confidence === 0 ? undefined : confidence,
    overlap: shareIn(properties.get('overlap')),
  };
}

function shareIn(text = ''): number | undefined {
  const isNumber = /^\s*(\d{1,20}(\.\d{0,20})?|\.\d{1,20})(e-\d{1,2})?\s*$/i.test(text);
  return isNumber && Number(text) <= 1 ? Number(text) : undefined;
}
