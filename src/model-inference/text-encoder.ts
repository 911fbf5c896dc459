// An encoder of texts, in the thread that runs it: words in, a vector out.

import { Tokenizer } from '@huggingface/tokenizers';
import { type JsonObject, membersOf } from '../json-object.ts';
import { limits } from '../limits.ts';
import { wrongFolder } from './embedder-folder.ts';
import { namesOf, openEncoderSession, toUnitVector, vectorOutput } from './encoder-session.ts';
import type { Feed, OnnxSession } from './onnx-session.ts';

export interface TextEncoder {
  readonly dimensions: number;
  /** What is longer than the encoder takes is cut off. Errors as of ImageEncoder. */
  embed(text: string): Promise<Float32Array>;
  close(): Promise<void>;
}

export interface TextFiles {
  readonly model: Uint8Array;
  readonly tokenizer: JsonObject;
  readonly tokenizerConfig: JsonObject;
  readonly config: JsonObject;
}

/** Runs it once: then the length of its vectors is known. */
export async function openTextEncoder({ model, ...files }: TextFiles): Promise<TextEncoder> {
  const tokens = tokensOf(files);
  const session = await openEncoderSession(model, 'a text encoder');
  try {
    const embed = encoderOf(session, tokens);
    const { length } = await embed('image');
    return { dimensions: length, embed, close: () => session.close() };
  } catch (thrown) {
    await session.close();
    throw thrown;
  }
}

interface Tokens {
  readonly countMax: number;
  /** Whether it learned from texts that were all filled up to this length. */
  readonly isFilled: boolean;
  readonly padding: number;
  of(text: string): readonly number[];
}

function tokensOf(files: Omit<TextFiles, 'model'>): Tokens {
  const { tokenizerConfig, config } = files;
  const tokenizer = openTokenizer(files);
  return {
    countMax: lengthMax(tokenizerConfig, config),
    isFilled: String(config.model_type ?? '').startsWith('siglip'),
    padding: paddingOf(tokenizer, tokenizerConfig),
    of: (text) => tokenizer.encode(text).ids,
  };
}

function openTokenizer({ tokenizer, tokenizerConfig }: Omit<TextFiles, 'model'>): Tokenizer {
  try {
    const opened = new Tokenizer(tokenizer, tokenizerConfig);
    if (opened.encode('image').ids.length > 0) return opened;
  } catch {
    // Said below.
  }
  throw wrongFolder('has a tokenizer.json that makes no tokens of a text');
}

function lengthMax(tokenizerConfig: JsonObject, config: JsonObject): number {
  const { max_position_embeddings } = membersOf(config.text_config);
  // Where nobody has said it, a tokenizer has a number of thirty digits.
  const said = [tokenizerConfig.model_max_length, max_position_embeddings].find(
    (value) => typeof value === 'number' && value >= 2 && value <= Number.MAX_SAFE_INTEGER,
  );
  if (typeof said !== 'number') return limits.embedderTokensUsual;
  return Math.min(Math.floor(said), limits.embedderTokensMax);
}

function paddingOf(tokenizer: Tokenizer, { pad_token }: JsonObject): number {
  const word = typeof pad_token === 'string' ? pad_token : membersOf(pad_token).content;
  return typeof word === 'string' ? (tokenizer.token_to_id(word) ?? 0) : 0;
}

function encoderOf(session: OnnxSession, tokens: Tokens): TextEncoder['embed'] {
  const what = 'a text encoder';
  const output = vectorOutput(session, ['text_embeds', 'pooler_output'], what);
  const ids = session.inputs.find(({ name }) => name === 'input_ids');
  const known = session.inputs.every(({ name, type }) => type === 'int64' && name in inputs);
  if (ids === undefined || !known) {
    throw wrongFolder(
      `has a text encoder that takes ${namesOf(session.inputs)}, where input_ids belongs, int64`,
    );
  }
  const fixed = ids.dims[1];
  const countMax = Math.min(tokens.countMax, fixed ?? tokens.countMax);
  const filledTo = fixed ?? (tokens.isFilled ? countMax : 0);
  return async (text) => {
    const words = cut(tokens.of(text), countMax);
    const length = Math.max(words.length, filledTo);
    const filled = [...words, ...Array<number>(length - words.length).fill(tokens.padding)];
    const feeds = session.inputs.map(({ name }): [string, Feed] => {
      const make = inputs[name];
      const values = filled.map((token, at) => make?.(token, at, words.length) ?? token);
      const longs = BigInt64Array.from(values, BigInt);
      return [name, { type: 'int64', values: longs, dims: [1, length] }];
    });
    return toUnitVector(await session.runNamed(new Map(feeds), output), what);
  };
}

/** The last one says where the text ends, and the encoder looks there. */
function cut(ids: readonly number[], countMax: number): readonly number[] {
  const last = ids.at(-1);
  if (ids.length <= countMax || last === undefined) return ids;
  return [...ids.slice(0, countMax - 1), last];
}

/** What encoders are given of each token, at its place of so many. */
const inputs: Readonly<Record<string, (token: number, at: number, count: number) => number>> = {
  input_ids: (token) => token,
  attention_mask: (_token, at, count) => (at < count ? 1 : 0),
  position_ids: (_token, at) => at,
  token_type_ids: () => 0,
};
