import { asObject } from '../config/json.ts';
import type { MergedSchema } from './merge.ts';
import type { SpecDocument } from '../model/site-plan.ts';

export interface SharedMerges {
  bySchema: WeakMap<object, { merged: MergedSchema; effort: number }>;
  roomLeft: number;
}

const maxSharedEntries = 200_000;
const sharedByDocument = new WeakMap<SpecDocument, SharedMerges>();

export function sharedMerges(document: SpecDocument): SharedMerges {
  const known = sharedByDocument.get(document);
  if (known) return known;
  const shared: SharedMerges = { bySchema: new WeakMap(), roomLeft: maxSharedEntries };
  if (asObject(document)) sharedByDocument.set(document, shared);
  return shared;
}
