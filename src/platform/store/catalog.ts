// The catalog of public projects: the store's interface.

import type { ImageFormat } from '../../imaging/image-format.ts';
import type { Descriptor } from '../../imaging/similarity-descriptor.ts';
import type { CatalogEntry } from '../../query-language/catalog-query.ts';

export interface CatalogProject extends CatalogEntry {
  readonly id: string;
  /** Slug. */
  readonly workspace: string;
  readonly license: string | undefined;
  /** Number of its newest version; undefined without one. */
  readonly latestVersion: number | undefined;
  /** Its newest image. */
  readonly cover: Cover | undefined;
}

export interface Cover {
  readonly hash: string;
  readonly name: string;
  readonly format: ImageFormat;
}

export interface CatalogRequest {
  readonly q: string;
  readonly type: string | undefined;
  readonly limit: number;
  /** From 1. */
  readonly page: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface CatalogPage {
  /** How many projects are found in all. */
  readonly total: number;
  /** `similarity`, 0 to 1, where likeness was asked for. */
  readonly projects: readonly (CatalogProject & { readonly similarity?: number })[];
}

export interface CatalogStore {
  /** Throws `invalid_input` for what is no query. `asker`: the workspace that asks. */
  search(asker: string, request: CatalogRequest): Promise<CatalogPage>;
  /** The projects with the images most like a picture: each with how similar its best one is. */
  like(asker: string, descriptor: Descriptor): Promise<CatalogPage>;
}
