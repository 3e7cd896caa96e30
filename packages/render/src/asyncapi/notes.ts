import { asList, asObject, asText, at, textAt } from '../config/json.ts';
import { fieldText } from '../openapi/examples.ts';
import { resolve, resolvedEntries } from '../openapi/references.ts';
import { type SchemaBudget, schemaView } from '../openapi/schema.ts';
import type { BindingView, NotesView } from './view.ts';

const maxItems = 30;
const maxRows = 60;
const maxRowDepth = 3;
const maxValueLength = 500;

export function notesView(budget: SchemaBudget, owner: unknown): NotesView {
  const docs = resolve(budget.document, at(owner, 'externalDocs'));
  const url = textAt(docs, 'url');
  return {
    bindings: bindingViews(budget, at(owner, 'bindings')),
    tags: asList(at(owner, 'tags'))
      .slice(0, maxItems)
      .flatMap((tag) => {
        const resolved = resolve(budget.document, tag);
        const name = textAt(resolved, 'name') ?? asText(resolved);
        return name === undefined ? [] : [{ name, description: textAt(resolved, 'description') ?? '' }];
      }),
    ...(url === undefined ? {} : { externalDocs: { url, description: textAt(docs, 'description') ?? '' } }),
    extensions: Object.entries(asObject(owner) ?? {})
      .filter(([name]) => name.startsWith('x-') && !/^x-(?:mint|parser)\b/.test(name))
      .slice(0, maxItems)
      .map(([name, value]) => ({ name, value: shortText(value) })),
  };
}

function bindingViews(budget: SchemaBudget, bindings: unknown): BindingView[] {
  return resolvedEntries(budget.document, bindings)
    .slice(0, maxItems)
    .flatMap(([protocol, binding]) => {
      const view: BindingView = { protocol, rows: [], schemas: [] };
      addRows(budget, view, binding, '', 0);
      return view.rows.length + view.schemas.length > 0 ? [view] : [];
    });
}

function addRows(
  budget: SchemaBudget,
  view: BindingView,
  settings: unknown,
  prefix: string,
  depth: number,
): void {
  for (const [key, value] of Object.entries(asObject(settings) ?? {})) {
    if (view.rows.length + view.schemas.length >= maxRows) return;
    if (depth === 0 && key === 'bindingVersion') continue;
    const name = prefix + key;
    if (isSchema(resolve(budget.document, value)))
      view.schemas.push({ name, schema: schemaView(budget.document, value, 'both', budget) });
    else if (asObject(value) && depth < maxRowDepth) addRows(budget, view, value, `${name}.`, depth + 1);
    else view.rows.push({ name, value: shortText(value) });
  }
}

/** A binding may have a field named `type`; only a JSON Schema type marks a schema. */
function isSchema(value: unknown): boolean {
  const type = at(value, 'type');
  return (
    ['string', 'integer', 'number', 'boolean', 'array', 'object'].includes(asText(type) ?? '') ||
    asObject(at(value, 'properties')) !== undefined
  );
}

function shortText(value: unknown): string {
  const text = fieldText(value);
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}
