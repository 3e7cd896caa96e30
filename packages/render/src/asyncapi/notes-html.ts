import type { PageContext } from '../components/contract.ts';
import { fieldLabel } from '../components/fields.ts';
import { element, escapeText } from '../text/html.ts';
import { codeHtml, factLine, note, subtitle } from '../openapi/html/facts.ts';
import { phraseHtml } from '../openapi/html/prose.ts';
import { type SchemaLook, schemaHtml } from '../openapi/html/schema.ts';
import type { BindingView, NotesView } from './view.ts';

export function notesHtml(notes: NotesView, look: SchemaLook, idPrefix: string): string {
  return (
    tagsHtml(notes, look.page) +
    externalDocsHtml(notes, look.page) +
    notes.bindings.map((binding) => bindingHtml(binding, look, idPrefix)).join('') +
    notes.extensions.map(({ name, value }) => factLine(escapeText(name), [codeHtml(value)])).join('')
  );
}

function tagsHtml({ tags }: NotesView, page: PageContext): string {
  if (tags.length === 0) return '';
  const labels = tags.map(({ name, description }) => {
    const label = fieldLabel(escapeText(name));
    return description === '' ? label : `${label} ${phraseHtml(description, page)}`;
  });
  return note(`<span class="dy-field-fact-name">Tags</span> ${labels.join(' ')}`);
}

function externalDocsHtml({ externalDocs }: NotesView, page: PageContext): string {
  if (!externalDocs) return '';
  const { href } = page.link(externalDocs.url, undefined);
  const words = phraseHtml(externalDocs.description, page) || 'Read more';
  return href === undefined ? '' : element('p', {}, element('a', { href }, words));
}

function bindingHtml({ protocol, rows, schemas }: BindingView, look: SchemaLook, idPrefix: string): string {
  const label = `Bindings for ${protocol}`;
  const cells = rows.map(
    ({ name, value }) =>
      `<tr><th scope="row">${codeHtml(name)}</th><td>${value === '' ? '' : codeHtml(value)}</td></tr>`,
  );
  const table =
    cells.length === 0
      ? ''
      : `<div${tableAttributes(label)}><table><tbody>${cells.join('')}</tbody></table></div>`;
  const shown = schemas.map(({ name, schema }) => {
    const below = { ...look, idPrefix: `${idPrefix}-${protocol}-${name}` };
    return subtitle(`${escapeText(protocol)} ${codeHtml(name)}`) + schemaHtml(schema, below);
  });
  return (table && subtitle(escapeText(label)) + table) + shown.join('');
}

function tableAttributes(label: string): string {
  return ` class="dy-table dy-api-bindings" role="group" aria-label="${escapeText(label).replaceAll('"', '&quot;')}" tabindex="0"`;
}
