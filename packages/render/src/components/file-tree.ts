/**
 * Trees of files and folders, written as elements or as a nested Markdown list. Folders are `<details>`,
 * which need no script.
 */
import type { Child, Component, PageContext } from './contract.ts';
import { element, escapeText, textOfHtml } from '../text/html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import { classesOf, iconOf } from './shared-props.ts';
import { hooked } from '../model/style-hooks.ts';

export const tree: Component = (call, page) =>
  element(
    'div',
    { class: classesOf(call, page, hooked('dy-tree', 'tree')) },
    treeContent(call.children, page),
  );

function treeContent(children: readonly Child[], page: PageContext): string {
  return children
    .map((child) => (child.kind === 'markdown' ? listEntries(page.render([child])) : page.render([child])))
    .join('');
}

export const treeFolder: Component = (call, page) => {
  const { props, children } = call;
  const content = treeContent(children, page);
  const name =
    (iconOf(call, page) || interfaceIcon('folder')) + entryName(props.text('name'), props.text('comment'));
  const marked = props.flag('highlight');
  if (props.has('openable') && !props.flag('openable'))
    return element('div', { class: hooked(entryClass(marked), 'tree-folder') }, name) + nested(content);
  return folder(name, content, props.flag('defaultOpen'), marked);
};

export const treeFile: Component = (call, page) => {
  const { props } = call;
  return element(
    'div',
    { class: hooked(entryClass(props.flag('highlight')), 'tree-file') },
    (iconOf(call, page) || interfaceIcon('file')) + entryName(props.text('name'), props.text('comment')),
  );
};

function entryName(name: string | undefined, comment: string | undefined): string {
  const note = comment ? element('span', { class: 'dy-tree-note' }, escapeText(comment)) : '';
  return element('span', {}, escapeText(name ?? '')) + note;
}

function entryClass(marked: boolean): string {
  return marked ? 'dy-tree-entry dy-tree-marked' : 'dy-tree-entry';
}

function folder(name: string, content: string, open: boolean, marked: boolean): string {
  return element(
    'details',
    { class: hooked('dy-tree-folder', 'tree-folder'), open },
    element('summary', { class: entryClass(marked) }, name) + nested(content),
  );
}

function nested(content: string): string {
  return content ? element('div', { class: 'dy-tree-children' }, content) : '';
}

/** Parses `<ul><li>name<ul>…</ul></li></ul>`, the form of a rendered list of names. */
function listEntries(html: string): string {
  const tokens = html.split(/(<\/?(?:ul|ol|li)\b[^>]*>)/);
  let at = 0;
  const readList = (): string => {
    let entries = '';
    while (at < tokens.length) {
      const token = tokens[at++] ?? '';
      if (/^<\/[uo]l/.test(token)) break;
      if (token.startsWith('<li')) entries += readItem();
      else if (/^<[uo]l/.test(token)) entries += readList();
    }
    return entries;
  };
  const readItem = (): string => {
    let label = '';
    let content = '';
    let hasList = false;
    while (at < tokens.length) {
      const token = tokens[at++] ?? '';
      if (token === '</li>') break;
      if (/^<[uo]l/.test(token)) {
        hasList = true;
        content += readList();
      } else label += token;
    }
    const bare = label.replaceAll(/<\/?p>/g, '').trim();
    const isFolder = hasList || textOfHtml(bare).endsWith('/');
    const marked = bare.startsWith('<strong>');
    const name = (isFolder ? interfaceIcon('folder') : interfaceIcon('file')) + element('span', {}, bare);
    return isFolder && content
      ? folder(name, content, true, marked)
      : element('div', { class: hooked(entryClass(marked), isFolder ? 'tree-folder' : 'tree-file') }, name);
  };
  return readList();
}
