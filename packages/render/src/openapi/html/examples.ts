import type { PageContext } from '../../components/contract.ts';
import { type Panel, codeGroupClass, tabPanels } from '../../components/tabs.ts';
import { element } from '../../text/html.ts';
import { slugOf } from '../../page/headings.ts';
import type { CodeSample, ContentView, ExampleView, OperationView } from '../view.ts';
import type { ApiText, Say } from '../../words/api-words.ts';
import { firstSuccess, statusClass } from './operation.ts';

/** Shares the language preference with all code groups of the site. */
export function requestExamples(samples: readonly CodeSample[], page: PageContext, say: Say): string {
  const panels = samples.map(({ label, language, code }) => panel(label, codeHtml(language, code, page)));
  const title = say('Request');
  const look = { className: codeGroupClass, first: 0, sync: true, dropdown: true, title, caption: title };
  return example(labelOf('Request', say), tabPanels(panels, page, look));
}

export function payloadExamples(view: OperationView, page: PageContext, say: Say): string {
  const panels = (view.body?.contents ?? []).flatMap((content) => examplePanels(content, page));
  return example(labelOf('Payload', say), selectable(panels, say('Payload'), page, say));
}

/** Samples show one body; this menu offers all examples of the specification. */
export function bodyExamples(view: OperationView, page: PageContext, say: Say): string {
  const several = (view.body?.contents ?? []).filter(({ examples }) => examples.length > 1);
  const panels = several.flatMap((content) => examplePanels(content, page));
  return panels.length ? example(labelOf('Body', say), selectable(panels, say('Body'), page, say)) : '';
}

export function schemaExamples(examples: readonly ExampleView[], page: PageContext, say: Say): string {
  const title = say('Example');
  const panels = examplePanels({ type: title, examples: [...examples] }, page);
  return example(title, selectable(panels, title, page, say));
}

/** Synchronized with the tabs of the response section. */
export function responseExamples(view: OperationView, page: PageContext, say: Say): string {
  const panels = view.responses.flatMap(({ status, contents }): Panel[] => {
    const inner = contents.flatMap((content) => examplePanels(content, page));
    const icon = element('span', { class: `dy-status dy-status-${statusClass(status)}` }, '');
    return inner.length ? [{ ...panel(status, selectable(inner, undefined, page, say)), icon }] : [];
  });
  const title = say('Response');
  const first = firstSuccess(panels);
  const look = { className: `${codeGroupClass} dy-api-statuses`, first, sync: 'status', title };
  return example(labelOf('Response', say), tabPanels(panels, page, look));
}

/** Accessible label; languages without a translation use the word alone. */
function labelOf(what: ApiText, say: Say): string {
  return say(what) === what ? `${what} example` : say(what);
}

function example(label: string, html: string): string {
  return html && element('section', { class: 'dy-example', 'aria-label': label }, html);
}

function selectable(
  panels: readonly Panel[],
  caption: string | undefined,
  page: PageContext,
  say: Say,
): string {
  const [only] = panels;
  if (panels.length === 1 && only && caption === undefined) return only.html;
  const look = {
    className: codeGroupClass,
    first: 0,
    sync: false,
    dropdown: true,
    title: say('Example'),
    caption,
  };
  return tabPanels(panels, page, look);
}

function examplePanels({ type, examples }: ContentView, page: PageContext): Panel[] {
  return examples.map(({ name, summary, language, text }) =>
    panel(summary || name || type, codeHtml(language, text, page)),
  );
}

function panel(title: string, html: string): Panel {
  return { title, icon: '', id: `example-${slugOf(title)}`, html };
}

function codeHtml(language: string, code: string, page: PageContext): string {
  return page.code({ language, meta: '', code });
}
