/** The part of a description that a page is about, as the end of its Markdown: a heading and a block of YAML. */
import { trimmedChannel } from '../asyncapi/trim.ts';
import { at } from '../config/json.ts';
import { trimmedSpecYaml } from '../openapi/trim.ts';
import { yamlText } from '../openapi/trim-yaml.ts';
import type { SitePlan, ApiTarget, SpecDocument } from '../model/site-plan.ts';

const longestYaml = 250_000;

/** Empty when the page has no description behind it, or the site keeps descriptions out. */
export function specMarkdown(plan: Pick<SitePlan, 'specs' | 'specInMarkdown'>, target: ApiTarget): string {
  if (!plan.specInMarkdown || target.kind === 'written' || !Object.hasOwn(plan.specs, target.spec)) return '';
  const yaml = yamlOf(plan.specs[target.spec] ?? {}, target);
  if (yaml === undefined || yaml.length > longestYaml) return '';
  const fence = fenceFor(yaml);
  const heading = target.kind === 'channel' ? 'AsyncAPI' : 'OpenAPI';
  return `## ${heading}\n\n${fence}yaml ${titleOf(target)}\n${yaml.trimEnd()}\n${fence}`;
}

function yamlOf(document: SpecDocument, target: Exclude<ApiTarget, { kind: 'written' }>): string | undefined {
  if (target.kind === 'operation' || target.kind === 'webhook') return trimmedSpecYaml(document, target);
  if (target.kind === 'schema') {
    const schema = at(document, 'components', 'schemas', target.name);
    return schema === undefined
      ? undefined
      : yamlText({ components: { schemas: { [target.name]: schema } } });
  }
  const channel = trimmedChannel(document, target.name);
  return channel && yamlText(channel);
}

function titleOf(target: Exclude<ApiTarget, { kind: 'written' }>): string {
  const what = target.kind === 'operation' ? `${target.method.toUpperCase()} ${target.path}` : target.name;
  return `${target.spec} ${what}`.replaceAll(/[\s`]+/g, ' ').trim();
}

/** Longer than any row of backticks inside. */
function fenceFor(text: string): string {
  if (!text.includes('```')) return '```';
  const longest = Math.max(2, ...(text.match(/`{3,200}/g) ?? []).slice(0, 1000).map(({ length }) => length));
  return '`'.repeat(longest + 1);
}
