import { asList, asObject, at, textAt } from '../config/json.ts';
import { type Place, selectPlaces, valueOf } from './json-path.ts';
import type { JsonObject } from '../model/json.ts';

const maxActions = 1000;
const maxVisits = 20_000_000;

/** Returns failures as sentences. */
export function applyOverlay(document: JsonObject, overlay: JsonObject): string[] {
  const problems: string[] = [];
  const root = { document: document as unknown };
  const budget = { visits: maxVisits };
  const actions = asList(overlay['actions']);
  if (actions.length > maxActions)
    problems.push(`It has ${actions.length} actions; only the first ${maxActions} are applied`);
  for (const action of actions.slice(0, maxActions)) {
    const target = textAt(action, 'target') ?? '';
    try {
      const places = selectPlaces(root, target, budget);
      if (!places) problems.push(`The target "${target.slice(0, 200)}" is not understood`);
      else if (at(action, 'remove') === true) removePlaces(places.filter(({ holder }) => holder !== root));
      else for (const place of places) mergeInto(place, at(action, 'update'));
    } catch (error) {
      return [...problems, error instanceof Error ? error.message : String(error)];
    }
  }
  return problems;
}

/** Backwards, so that list indexes stay valid. */
function removePlaces(places: readonly Place[]): void {
  for (const { holder, key } of places.toReversed()) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  }
}

/** Objects are merged, lists are appended to, other values are replaced. */
function mergeInto(place: Place, update: unknown): void {
  if (update === undefined) return;
  const current = valueOf(place);
  if (Array.isArray(current)) current.push(structuredClone(update));
  else setValue(place, merged(current, update));
}

function merged(current: unknown, update: unknown): unknown {
  if (Array.isArray(current) && Array.isArray(update))
    return [...(current as unknown[]), ...(update as unknown[])];
  const target = asObject(current);
  const changes = asObject(update);
  if (!target || !changes) return structuredClone(update);
  const result: Record<string, unknown> = target;
  for (const [key, value] of Object.entries(changes)) {
    result[key] = Object.hasOwn(target, key) ? merged(target[key], value) : structuredClone(value);
  }
  return result;
}

function setValue({ holder, key }: Place, value: unknown): void {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else holder[key] = value;
}
