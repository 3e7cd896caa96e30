/**
 * The menu next to a page's title: copy as Markdown, view as Markdown, open in an assistant. Assistants need
 * the page's public URL.
 */
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ContextualMenu, ContextualOption } from '../model/page-source.ts';
import { attributes, element, escapeText } from '../text/html.ts';
import { unsafeScheme } from '../text/link-scheme.ts';
import { interfaceIcon } from '../icons/interface.ts';
import type { Words } from '../words/words.ts';

export interface ContextualPage {
  words: Words;
  markdownHref: string;
  copyScript: string;
  address: string | undefined;
  path: string;
  icon: (name: string | undefined) => string;
}

const assistants: Record<string, { name: string; address: string; icon: string }> = {
  chatgpt: { name: 'ChatGPT', address: 'https://chatgpt.com/?hints=search&q=', icon: 'brands:openai' },
  claude: { name: 'Claude', address: 'https://claude.ai/new?q=', icon: 'brands:claude' },
  perplexity: {
    name: 'Perplexity',
    address: 'https://www.perplexity.ai/search/new?q=',
    icon: 'brands:perplexity',
  },
  grok: { name: 'Grok', address: 'https://grok.com/?q=', icon: 'message' },
  aistudio: {
    name: 'AI Studio',
    address: 'https://aistudio.google.com/prompts/new_chat?prompt=',
    icon: 'brands:google',
  },
  devin: { name: 'Devin', address: 'https://app.devin.ai/?prompt=', icon: 'robot' },
};

export function contextualHtml(menu: ContextualMenu, page: ContextualPage): string {
  const items = menu.options.map((option) => optionHtml(option, page)).filter((item) => item !== '');
  const [first] = items;
  if (first === undefined) return '';
  const { words } = page;
  const copies = menu.options.some((option) => option.kind === 'known' && option.id === 'copy');
  const button = copies ? copyButton(page, 'dy-contextual-main') : '';
  const label = copies
    ? `<span class="dy-visually-hidden">${escapeText(words.more)}</span>`
    : `<span>${escapeText(words.more)}</span>`;
  const rest = items.length > 1 || !copies;
  return (
    `<div id="page-context-menu" class="dy-contextual${copies ? ' dy-with-copy' : ''}">${button}` +
    (rest
      ? `<details class="dy-menu" data-menu><summary id="page-context-menu-button">${label}${interfaceIcon('chevron-down')}</summary>` +
        `<div class="dy-menu-items"><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul></div></details>`
      : '') +
    '</div>'
  );
}

function copyButton({ words, copyScript }: ContextualPage, className: string): string {
  return element(
    'button',
    { type: 'button', class: className, 'data-copy-page': copyScript, 'data-done': words.copied },
    `${interfaceIcon('copy')}<span>${escapeText(words.copyPage)}</span>`,
  );
}

function optionHtml(option: ContextualOption, page: ContextualPage): string {
  const { words, address } = page;
  if (option.kind === 'own') return ownHtml(option, page);
  if (option.id === 'copy') return copyButton(page, 'dy-menu-action');
  if (option.id === 'view')
    return element('a', { href: page.markdownHref }, interfaceIcon('file') + escapeText(words.viewMarkdown));
  const assistant = Object.hasOwn(assistants, option.id) ? assistants[option.id] : undefined;
  if (!assistant || address === undefined) return '';
  const question = `Read ${address} and answer my questions about it.`;
  return element(
    'a',
    { href: assistant.address + encodeURIComponent(question) },
    `${page.icon(assistant.icon)}<span>${escapeText(`${words.openIn} ${assistant.name}`)}</span>${interfaceIcon('arrow-up-right')}`,
  );
}

function ownHtml(option: Extract<ContextualOption, { kind: 'own' }>, page: ContextualPage): string {
  const needsAddress = /\$(?:page|mcp)|%24(?:page|mcp)/i.test(option.href);
  if (needsAddress && page.address === undefined) return '';
  if (/(?:\$|%24)mcp/i.test(option.href)) return '';
  const href = option.href
    .replaceAll(/(?:\$|%24)page/gi, () => encodeURIComponent(page.address ?? ''))
    .replaceAll(/(?:\$|%24)path/gi, () => encodeURIComponent(page.path));
  if (!/^[a-z][a-z0-9+.-]*:/i.test(href) || unsafeScheme(href) !== undefined) return '';
  const note = option.description
    ? `<span class="dy-menu-note">${escapeText(option.description)}</span>`
    : '';
  return (
    `<a${attributes({ href })}>${page.icon(option.icon)}` +
    `<span class="dy-menu-label"><span>${escapeText(option.title)}</span>${note}</span></a>`
  );
}

/** Options that only a hosted site supports. */
export function contextualFindings({ options }: ContextualMenu, file: string): Diagnostic[] {
  const offered = new Set(['copy', 'view', ...Object.keys(assistants)]);
  return options.flatMap((option): Diagnostic[] =>
    option.kind === 'known' && !offered.has(option.id)
      ? [
          {
            severity: 'info',
            code: 'contextual_skipped',
            message: `The contextual menu omits "${option.id}", which needs a hosted site`,
            file,
          },
        ]
      : [],
  );
}

export function offersCopy({ options }: ContextualMenu): boolean {
  return options.some((option) => option.kind === 'known' && option.id === 'copy');
}
