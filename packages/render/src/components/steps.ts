import type { Component, ElementCall, PageContext } from './contract.ts';
import { element, textOfHtml } from '../text/html.ts';
import { iconOf, idOf } from './shared-props.ts';
import { hooked, part } from '../model/style-hooks.ts';

const stepsClass = hooked('dy-steps', 'steps');

export const steps: Component = ({ props, children }, page) => {
  const size = props.text('titleSize');
  let number = 0;
  const items = children.map((child) => {
    if (child.kind !== 'element' || child.call.name !== 'Step') return page.render([child]);
    number = child.call.props.number('stepNumber') ?? number + 1;
    return stepItem(child.call, page, number, size);
  });
  return element('div', { class: stepsClass, role: 'list' }, items.join('\n'));
};

export const step: Component = (call, page) =>
  element(
    'div',
    { class: stepsClass, role: 'list' },
    stepItem(call, page, call.props.number('stepNumber') ?? 1, undefined),
  );

function stepItem(call: ElementCall, page: PageContext, number: number, size?: string): string {
  const { props, children } = call;
  const marker = iconOf(call, page) || String(number);
  const body = stepTitle(props.text('titleSize') ?? size, call, page);
  return element(
    'div',
    { class: hooked('dy-step', 'step'), role: 'listitem' },
    element('span', { class: 'dy-step-number', ...part('step-number') }, marker) +
      element('div', { class: 'dy-step-body', ...part('step-content') }, body + page.render(children)),
  );
}

function stepTitle(size: string | undefined, { props }: ElementCall, page: PageContext): string {
  const html = props.has('title') ? page.renderProp(props, 'title') : '';
  if (!html) return '';
  const level = /^h([2-4])$/.exec(size ?? '')?.[1];
  const anchor = !props.flag('noAnchor');
  if (level) {
    return page.heading({
      level: Number(level),
      html,
      id: props.text('id'),
      anchor,
      className: 'dy-step-title',
      part: 'step-title',
    });
  }
  const id = anchor ? idOf(props.text('id'), textOfHtml(html), page) : undefined;
  return element('p', { class: 'dy-step-title', id, ...part('step-title') }, html);
}
