/** Trees of files and folders. Folders are `<details>`; a tree may also be written as a nested Markdown list. */
import { interfaceIcon } from '../icons/interface.ts';
import type { Component } from './contract.ts';
import { element, escapeText } from '../html.ts';

export const tree: Component = ({ children }, page) => {
  const isList = !children.some((child) => child.kind === 'element');
  return element('div', { class: isList ? 'tree tree-list' : 'tree' }, page.render(children));
};

export const treeFolder: Component = ({ props, children }, page) => {
  const name = interfaceIcon('folder') + element('span', {}, escapeText(props.text('name') ?? ''));
  if (props.has('openable') && !props.flag('openable')) return element('div', { class: 'tree-entry' }, name);
  return element(
    'details',
    {
      class: props.flag('highlight') ? 'tree-folder tree-marked' : 'tree-folder',
      open: props.flag('defaultOpen'),
    },
    element('summary', { class: 'tree-entry' }, name) +
      element('div', { class: 'tree-children' }, page.render(children)),
  );
};

export const treeFile: Component = ({ props }) =>
  element(
    'div',
    { class: props.flag('highlight') ? 'tree-entry tree-marked' : 'tree-entry' },
    interfaceIcon('file') + element('span', {}, escapeText(props.text('name') ?? '')),
  );
