/**
 * Raw HTML elements in a page: an allowlist of names and attributes. Links and pictures are resolved, inline
 * styles become classes, event handlers are dropped.
 */
import { isInside, loadsNothing } from '../assets/drawing-rules.ts';
import { ObjectValue, type Value } from '../evaluate/values.ts';
import type { Component, ElementCall, PageContext, Child } from './contract.ts';
import { type Attributes, attributes, element, textOfHtml, voidElements } from '../text/html.ts';
import { callout, isCalloutName } from './callouts.ts';
import { childrenOfHtml, givenHtml } from './html-text.ts';
import { altOf, imageSwitches, pictureHtml } from './images.ts';
import { remoteMedia, withoutLinks } from './remote.ts';
import { declarationsOf, withHyphens } from './style.ts';
import { isHarmless, isSvgElement, referencingElement, svgAttribute } from './svg.ts';
import { Props } from './props.ts';

const allowedElements = new Set(
  (
    'a abbr address article aside audio b bdi bdo blockquote br button caption center cite code col colgroup dd del details dfn ' +
    'div dl dt em figcaption figure footer font h1 h2 h3 h4 h5 h6 header hr i iframe img input ins kbd label li main mark nav ol ' +
    'p picture pre q s samp section small source span strong sub summary sup table tbody td tfoot th thead time tr track u ' +
    'ul var video wbr ' +
    'datalist dialog fieldset form hgroup legend menu meter optgroup option output progress rp rt ruby search select style textarea'
  ).split(' '),
);
/**
 * A paragraph that Markdown created inside these elements is unwrapped, because they must not contain one.
 */
const phrasingOnly = new Set(
  'a abbr b button caption cite code del em font h1 h2 h3 h4 h5 h6 i kbd label p s small span strong sub summary sup th td time u'.split(
    ' ',
  ),
);
const plainAttributes = new Set(
  (
    'id title lang dir role width height alt target colspan rowspan align valign scope headers loading controls autoplay loop muted ' +
    'playsinline preload sizes media type open start reversed value checked disabled placeholder name for allow allowfullscreen ' +
    'datetime cite label kind srclang default tabindex referrerpolicy ' +
    'accept autocomplete cols contenteditable download draggable form hidden high inputmode list low max maxlength min minlength ' +
    'multiple optimum pattern readonly required rows selected size spellcheck step wrap'
  ).split(' '),
);
const renamed: Record<string, string> = { classname: 'class', htmlfor: 'for', datetime: 'datetime' };
const silentlyDropped = new Set(['script', 'link', 'meta', 'head', 'base', 'object', 'embed']);

export function isHtmlElement(name: string): boolean {
  return /^[a-z]/.test(name);
}

export const htmlElement: Component = (written, page) => {
  const call = withFormValues(withGivenHtml(written));
  const { name, children, place } = call;
  if (!(isSvgElement(name) ? isHarmless(call) : allowedElements.has(name))) {
    if (isCalloutName(name)) return callout(call, page);
    const isDropped = silentlyDropped.has(name);
    const fate = isDropped ? 'readers see nothing in its place' : 'readers see its content';
    page.report('element_dropped', `<${name}> is not allowed in a page; ${fate}`, place);
    return isDropped ? '' : page.render(children);
  }
  if (name === 'style') {
    noteRules(call, page);
    return '';
  }
  const heading = /^h([1-6])$/.exec(name)?.[1];
  if (heading) return jsxHeading(call, page, Number(heading));
  if (name === 'img') return image(call, page);
  const remote = remoteMedia(call, page);
  if (remote !== undefined) return remote;
  const values = readAttributes(call, page);
  if (!values) return '';
  if (name === 'use' || name === 'image') return referencingElement(call, values, page);
  if (voidElements.has(name)) return `<${name}${attributes(values)}>`;
  const content = phrasingOnly.has(name) ? page.renderPhrasing(children) : page.render(children);
  if (name === 'th' && content.trim() === '' && !page.isLive) return emptyHeader(values);
  const html = element(name, values, name === 'a' ? withoutLinks(content) : content);
  return name === 'table' && !page.isLive ? scrollingTable(html) : html;
};

/** Without JavaScript every table is focusable; with it only those that scroll. */
export function scrollingTable(html: string): string {
  return `<div class="dy-table" role="group" aria-label="Table" tabindex="0">${html}</div>`;
}

function emptyHeader(values: Attributes): string {
  return element('td', { ...values, scope: undefined }, '');
}

function withGivenHtml(call: ElementCall): ElementCall {
  const html = givenHtml(call.props.value('dangerouslySetInnerHTML'));
  if (html === undefined || call.name === 'style') return call;
  const props = call.props.without('dangerouslySetInnerHTML');
  return { ...call, props, children: childrenOfHtml(html, call.place) };
}

function noteRules({ props, children, place }: ElementCall, page: PageContext): void {
  const css =
    givenHtml(props.value('dangerouslySetInnerHTML')) ??
    children.map((child) => (child.kind === 'text' ? child.text : textOfHtml(page.render([child])))).join('');
  const media = props.text('media');
  if (css.trim() !== '') page.useRules(media === undefined ? css : `@media ${media} {${css}}`, place);
}

function image(call: ElementCall, page: PageContext): string {
  const { props, place } = call;
  const values = readAttributes({ ...call, props: props.without('src', 'alt') }, page) ?? {};
  const alt = altOf(props);
  return pictureHtml(
    { address: props.text('src') ?? '', values: { ...values, alt, ...imageSwitches(props) }, place },
    page,
  );
}

function jsxHeading({ props, children }: ElementCall, page: PageContext, level: number): string {
  const html = page.renderPhrasing(children);
  if (textOfHtml(html).trim() === '' && !html.includes('<')) return '';
  const className = props.text('className') ?? props.text('class');
  return page.heading({
    level,
    html,
    id: props.text('id'),
    ...(className ? { className: page.useClasses(className) } : {}),
    anchor: !props.flag('noAnchor'),
  });
}

/** Undefined when the element is useless without a rejected attribute. */
function readAttributes(call: ElementCall, page: PageContext): Attributes | undefined {
  const { name, props, place } = call;
  const values: Attributes = {};
  const classes: string[] = [];
  const isDrawn = isSvgElement(name);
  for (const [original, value] of props.values.entries) {
    const ofDrawing = isDrawn ? svgAttribute(original) : undefined;
    const attribute = ofDrawing ?? attributeName(original);
    if (/^on[a-z]/i.test(original)) {
      if (!page.isLive)
        page.report(
          'handler_dropped',
          `"${original}" was removed, because pages run no inline code; the element does nothing`,
          place,
        );
    } else if (attribute === 'class') classes.push(page.useClasses(textOf(value)));
    else if (attribute === 'style') {
      const generated = page.styleClass(declarationsOf(value, (address) => page.styleFile(address, place)));
      if (generated) classes.push(generated);
    } else if (ofDrawing !== undefined) {
      const text = textOf(value);
      if (attribute === 'href' ? isInside(text) : text !== '' && loadsNothing(text)) values[attribute] = text;
    } else if (
      attribute === 'href' ||
      attribute === 'src' ||
      attribute === 'srcset' ||
      attribute === 'poster'
    ) {
      if (!addAddress(call, page, attribute, textOf(value), values)) return undefined;
    } else if (attribute === 'id') {
      if (page.claimId(textOf(value))) values['id'] = textOf(value);
      else reportTakenId(textOf(value), page, place);
    } else if (isAllowedAttribute(attribute)) {
      const text = typeof value === 'boolean' ? flagText(attribute, value) : textOf(value);
      if (text !== '') values[attribute] = text;
      else if (attribute === 'alt') values['alt'] = '';
    }
  }
  if (classes.length) values['class'] = classes.join(' ');
  return withDefaults(name, values);
}

/** Some attributes spell out "false"; the others are omitted. */
function flagText(attribute: string, value: boolean): string | true | undefined {
  if (/^(?:aria|data)-|^(?:contenteditable|draggable|spellcheck)$/.test(attribute)) return String(value);
  return value ? true : undefined;
}

function reportTakenId(id: string, page: PageContext, place: ElementCall['place']): void {
  const message = `The id "${id.slice(0, 200)}" occurs more than once on the page; links to it lead to the first element`;
  page.report('duplicate_id', message, place, 'Give each element of a page an id of its own.');
}

function attributeName(name: string): string {
  const lower = name.toLowerCase();
  if (Object.hasOwn(renamed, lower)) return renamed[lower] ?? lower;
  if (plainAttributes.has(lower) || !/[a-z][A-Z]/.test(name)) return lower;
  return withHyphens(name);
}

function isAllowedAttribute(name: string): boolean {
  return plainAttributes.has(name) || /^(?:aria|data)-[\w-]+$/.test(name);
}

function addAddress(
  { name, place }: ElementCall,
  page: PageContext,
  attribute: string,
  address: string,
  values: Attributes,
): boolean {
  if (attribute === 'href') {
    const link = page.link(address, place);
    if (link.href !== undefined) values['href'] = link.href;
    return true;
  }
  if (attribute === 'srcset') {
    const sources = address.split(',').map((part) => {
      const [url = '', ...descriptor] = part.trim().split(/\s+/);
      const resolved = page.asset(url, place);
      return resolved === undefined ? undefined : [resolved, ...descriptor].join(' ');
    });
    if (sources.every((source) => source !== undefined)) values['srcset'] = sources.join(', ');
    return true;
  }
  if (name === 'iframe') {
    page.report(
      'frame_dropped',
      `The frame "${address}" has no address that may be shown; readers see nothing in its place`,
      place,
    );
    return false;
  }
  const resolved = page.asset(address, place);
  if (resolved !== undefined) values[attribute] = resolved;
  return resolved !== undefined || attribute === 'poster';
}

function withDefaults(name: string, values: Attributes): Attributes {
  if (name === 'a' && values['target'] === '_blank') return { ...values, rel: 'noopener' };
  if (name === 'video' && values['autoplay'])
    return { ...values, muted: true, playsinline: true, loop: true };
  if (name === 'button' || name === 'input') return { ...values, disabled: values['disabled'] ?? false };
  return values;
}

function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof ObjectValue) return '';
  return '';
}

/** React sets form values as properties; HTML writes them as content or on the option. */
function withFormValues(call: ElementCall): ElementCall {
  const { name, props } = call;
  if (name !== 'input' && name !== 'select' && name !== 'textarea') return call;
  const value = props.has('value') ? props.value('value') : props.value('defaultValue');
  const checked = props.has('checked') ? props.value('checked') : props.value('defaultChecked');
  const own = [...props.without('value', 'defaultValue', 'checked', 'defaultChecked').values.entries];
  if (name === 'input') {
    if (value !== undefined && value !== null) own.push(['value', value]);
    if (checked !== undefined) own.push(['checked', checked]);
    return { ...call, props: new Props(new ObjectValue(own)) };
  }
  const bare = { ...call, props: new Props(new ObjectValue(own)) };
  if (value === undefined || value === null) return bare;
  if (name === 'textarea') return { ...bare, children: [{ kind: 'text', text: formText(value) }] };
  const chosen = new Set((Array.isArray(value) ? value : [value]).map(textOf));
  return { ...bare, children: bare.children.map((child) => withChoice(child, chosen)) };
}

function withChoice(child: Child, chosen: ReadonlySet<string>): Child {
  if (child.kind !== 'element') return child;
  const { call } = child;
  if (call.name === 'optgroup') {
    const children = call.children.map((inner) => withChoice(inner, chosen));
    return { kind: 'element', call: { ...call, children } };
  }
  const value = call.props.has('value') ? formText(call.props.value('value')) : labelOf(call.children);
  if (call.name !== 'option' || !chosen.has(value)) return child;
  const props = new Props(new ObjectValue([...call.props.values.entries, ['selected', true]]));
  return { kind: 'element', call: { ...call, props } };
}

function labelOf(children: readonly Child[]): string {
  return children.map((child) => (child.kind === 'text' ? child.text : '')).join('');
}

function formText(value: Value): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
