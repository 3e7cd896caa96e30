/** The button that opens the search. The field itself is made by the search script, so that a page stays small. */
import { attributes, escapeText } from '../text/html.ts';
import type { Branch } from '../navigation/tree.ts';
import { scopeOfBranch } from '../search/pages.ts';
import { languageCode } from '../words/words.ts';

const lens =
  '<svg class="dy-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" ' +
  'aria-hidden="true"><circle cx="11" cy="11" r="6.5"/><path d="M16 16l4.500 4.500"/></svg>';

const prompts: Record<string, string> = {
  de: 'Suchen…',
  es: 'Buscar…',
  fr: 'Rechercher…',
  it: 'Cerca…',
  pt: 'Pesquisar…',
  ru: 'Поиск…',
  zh: '搜索…',
  ja: '検索…',
  ko: '검색…',
  ar: 'بحث…',
  he: 'חיפוש…',
};

export function searchButton(prompt: string | undefined, branch: Branch | undefined): string {
  const { language, version } = scopeOfBranch(branch);
  const text = prompt ?? prompts[languageCode(language).split('-')[0] ?? ''] ?? 'Search…';
  const values = {
    type: 'button',
    id: 'search-bar-entry',
    class: 'dy-search-button',
    'data-search': true,
    'data-prompt': text,
    'data-language': language || undefined,
    'data-version': version || undefined,
    'aria-haspopup': 'dialog',
    'aria-keyshortcuts': 'Control+K /',
  };
  return (
    `<button${attributes(values)}>${lens}<span class="dy-search-prompt">${escapeText(text)}</span>` +
    '<kbd aria-hidden="true">Ctrl K</kbd></button>'
  );
}
