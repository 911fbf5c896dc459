// Queries of vision events, and what custom metadata they have.

import type { visionEventExtensions } from '../../contract/vision-events.ts';
import { invalidArgument, notFound } from '../../errors.ts';
import { type Handlers, JsonText } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { requireWholeWorkspace } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { thumbnailLink } from '../images/thumbnails.ts';
import { makeToken, type Question, readToken } from '../signed-links/continuation-tokens.ts';
import type { SigningKey } from '../signed-links/signing-key.ts';
import type { EventPlace } from '../store/vision-events.ts';
import { orderedJson } from './ordered-json.ts';
import { readQuery } from './read-query.ts';
import { findUseCase } from './use-cases.ts';

type Reading = Pick<
  typeof visionEventExtensions,
  'vision_events_query' | 'vision_events_get' | 'vision_events_image' | 'use_cases_metadata_schema'
>;

export function eventReadHandlers({
  store,
  links,
  clock,
  visionEventDays = limits.visionEventsLookbackDays,
}: PlatformDependencies): Handlers<Reading, Principal> {
  return {
    vision_events_query: async (input, { principal }) => {
      requireWholeWorkspace(principal, 'Reading events');
      const workspaceId = principal.workspace.id;
      const { cursor, limit: _limit, ...filters } = input;
      const { id: useCaseId } = await findUseCase(store, workspaceId, input.useCaseId);
      const query = { ...readQuery(input), useCaseId };
      // A page of another size goes on with the same query.
      const question = { workspaceId, query: orderedJson({ ...filters, useCaseId }) };
      const after = cursor === undefined ? undefined : readCursor(links.key, question, cursor);
      const { contents, next } = await store.visionEvents.query(workspaceId, { ...query, after });
      const rest = {
        nextCursor: next ? makeCursor(links.key, question, next) : null,
        hasMore: next !== undefined,
        lookbackDays: visionEventDays,
      };
      // Parsed and written again, a page would hold this thread for a quarter of a second.
      return new JsonText(`{"events":[${contents.join()}],${JSON.stringify(rest).slice(1)}`);
    },
    vision_events_get: async ({ useCaseId: named, eventId }, { principal }) => {
      requireWholeWorkspace(principal, 'Reading events');
      const workspaceId = principal.workspace.id;
      const { id: useCaseId } = await findUseCase(store, workspaceId, named);
      const content = await store.visionEvents.content(workspaceId, useCaseId, eventId);
      if (content === undefined) {
        throw notFound('event', eventId, `POST /vision-events/query finds those of a use case.`);
      }
      return new JsonText(`{"event":${content}}`);
    },
    vision_events_image: async ({ sourceId }, { principal, origin }) => {
      requireWholeWorkspace(principal, 'Reading events');
      const image = await store.visionEvents.findImage(principal.workspace.id, sourceId);
      if (image === undefined) throw notFound('image', sourceId);
      const { hash, name, contentType } = image;
      const url = links.make(origin, { hash, name, contentType });
      const thumb = thumbnailLink({ links, clock }, origin, hash);
      return { sourceId, url, thumb, name, contentType };
    },
    use_cases_metadata_schema: async (input, { principal }) => {
      requireWholeWorkspace(principal, 'Reading events');
      const workspaceId = principal.workspace.id;
      const { id: useCaseId } = await findUseCase(store, workspaceId, input.useCaseId);
      const found = await store.visionEvents.metadataFields(workspaceId, useCaseId);
      return {
        useCaseId,
        fields: Object.fromEntries(
          found.fields.map(([name, types]) => [name, { types: [...types] }]),
        ),
        eventsRead: found.eventsRead,
        truncated: !found.isWhole,
      };
    },
  };
}

function makeCursor(key: SigningKey, question: Question, { eventId, occurred }: EventPlace) {
  return makeToken(key, question, { value: eventId, ordinal: occurred });
}

function readCursor(key: SigningKey, question: Question, cursor: string): EventPlace {
  const { value, ordinal } = readToken(key, question, cursor, 'cursor');
  if (typeof value !== 'string') throw invalidArgument('cursor', 'does not belong to this query');
  return { eventId: value, occurred: ordinal };
}
