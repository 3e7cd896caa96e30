import type { Component } from './contract.ts';
import { element } from '../text/html.ts';
import { type InterfaceIcon, interfaceIcon } from '../icons/interface.ts';
import { classesOf, iconOf, safeColor } from './shared-props.ts';
import { hooked, part } from '../model/style-hooks.ts';

interface Kind {
  className: string;
  label: string;
  icon: InterfaceIcon;
}

export const calloutKinds: Record<string, Kind> = {
  Note: { className: 'note', label: 'Note', icon: 'note' },
  Info: { className: 'info', label: 'Information', icon: 'info' },
  Tip: { className: 'tip', label: 'Tip', icon: 'tip' },
  Check: { className: 'check', label: 'Done', icon: 'circle-check' },
  Warning: { className: 'warning', label: 'Warning', icon: 'warning' },
  Danger: { className: 'danger', label: 'Danger', icon: 'danger' },
};

const aliases: Record<string, string> = {
  important: 'Warning',
  caution: 'Warning',
  error: 'Danger',
  critical: 'Danger',
  success: 'Check',
  warn: 'Warning',
  wraning: 'Warning',
  alert: 'Warning',
  aside: 'Note',
  admonition: 'Note',
  hint: 'Tip',
};

export const callout: Component = (call, page) => {
  const { name, props, children } = call;
  const isFree = name === 'Callout';
  const wanted = isFree ? (props.text('type') ?? props.text('variant') ?? props.text('kind')) : name;
  const kind = wanted === undefined ? undefined : calloutKind(wanted);
  const mark = iconOf(call, page) || (kind ? interfaceIcon(kind.icon) : '');
  const color = safeColor(props.text('color'));
  const tint = color && page.styleClass(`--dy-callout-color: ${color}`);
  const title = props.has('title') ? page.renderProp(props, 'title') : '';
  const body = (title ? element('p', { class: 'dy-callout-title' }, title) : '') + page.render(children);
  return element(
    'aside',
    {
      class: classesOf(
        call,
        page,
        hooked('dy-callout', 'callout'),
        `dy-callout-${kind?.className ?? 'plain'}`,
        tint,
      ),
      /** `note` is not a landmark: a page may have many of the same name. */
      role: 'note',
      'aria-label': kind?.label ?? 'Remark',
      'data-callout-type': kind?.className ?? 'custom',
    },
    calloutParts(mark, body),
  );
};

export function calloutParts(mark: string, body: string): string {
  return (
    (mark ? element('span', { class: 'dy-callout-icon', ...part('callout-icon') }, mark) : '') +
    element('div', { class: 'dy-callout-body', ...part('callout-content') }, body)
  );
}

export function isCalloutName(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    Object.hasOwn(aliases, lower) || Object.keys(calloutKinds).some((known) => known.toLowerCase() === lower)
  );
}

export function calloutKind(name: string): Kind {
  const capitalised = name.charAt(0).toUpperCase() + name.slice(1).toLowerCase();
  const key = Object.hasOwn(aliases, name.toLowerCase()) ? aliases[name.toLowerCase()] : capitalised;
  const found = key !== undefined && Object.hasOwn(calloutKinds, key) ? calloutKinds[key] : undefined;
  return found ?? { className: 'note', label: 'Note', icon: 'note' };
}
