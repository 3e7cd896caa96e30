/** Renders the generated part of an API page. The page's own text is never repeated or replaced. */
import { channelView } from '../asyncapi/channel.ts';
import { channelBar, channelExamples, channelHtml } from '../asyncapi/page.ts';
import type { DocumentRenderer } from '../page/renderer.ts';
import type { PageTask } from '../model/page.ts';
import { type BarView, barHtml } from '../openapi/html/bar.ts';
import {
  bodyExamples,
  payloadExamples,
  requestExamples,
  responseExamples,
  schemaExamples,
} from '../openapi/html/examples.ts';
import { operationHtml } from '../openapi/html/operation.ts';
import { proseHtml } from '../openapi/html/prose.ts';
import { schemaHtml } from '../openapi/html/schema.ts';
import { type PageLimits, operationView, schemaPageView } from '../openapi/operation.ts';
import { requestSamples } from '../openapi/samples.ts';
import { maxPageNodes } from '../openapi/schema.ts';
import { initialUrl } from '../openapi/servers.ts';
import { tryItOf } from '../openapi/try-it.ts';
import type { CodeSample, OperationView } from '../openapi/view.ts';
import { apiTexts, sayIn } from '../words/api-words.ts';
import { frontMatterOperationView } from '../openapi/front-matter-operation.ts';
import type { SitePlan, ApiTarget, SpecDocument } from '../model/site-plan.ts';
import { trimmedChannel } from '../asyncapi/trim.ts';
import { at } from '../config/json.ts';
import { trimmedSpecYaml } from '../openapi/trim.ts';
import { yamlText } from '../openapi/trim-yaml.ts';

export interface ApiPart {
  html: string;
  bar: string;
  connectSources: string[];
}

export interface ApiPage {
  plan: SitePlan;
  task: PageTask;
  renderer: DocumentRenderer;
}

export function apiPart(target: ApiTarget, page: ApiPage): ApiPart {
  page.renderer.collector.features.add('api');
  switch (target.kind) {
    case 'operation':
    case 'webhook': {
      const view = operationView(documentOf(target.spec, page.plan), target, limitsOf(page));
      return view ? describedPart(view, page) : nothing;
    }
    case 'front-matter': {
      const view = frontMatterOperationView(
        target,
        page.renderer.collector.fields,
        page.plan.api.frontMatterDefaults,
      );
      return { ...surroundings(view, page), html: '' };
    }
    case 'schema':
      return schemaPart(target, page);
    case 'channel':
      return channelPart(target, page);
  }
}

const nothing: ApiPart = { html: '', bar: '', connectSources: [] };

function limitsOf({ plan, task, renderer }: ApiPage): PageLimits {
  const { maxSchemaNodes } = plan;
  const reason =
    maxSchemaNodes < maxPageNodes
      ? `the API pages of this site are large together, which leaves ${maxSchemaNodes} for each page`
      : `a page shows at most ${maxSchemaNodes}`;
  return {
    maxNodes: maxSchemaNodes,
    reportCut: () =>
      renderer.report(
        'openapi_cut',
        `The page "${task.route}" omits the deepest schema fields: ${reason}`,
        undefined,
        'Split the schemas, or describe the deeper parts on schema pages.',
      ),
  };
}

function documentOf(spec: string, plan: SitePlan): SitePlan['specs'][string] {
  return Object.hasOwn(plan.specs, spec) ? (plan.specs[spec] ?? {}) : {};
}

function describedPart(view: OperationView, page: ApiPage): ApiPart {
  const { renderer, plan, task } = page;
  const description = remainder(view.description, task.description);
  const html =
    proseHtml(description, renderer) +
    operationHtml(view, { page: renderer, api: plan.api, say: sayIn(task.language) });
  return { ...surroundings(view, page), html };
}

/**
 * The first paragraph of a specification's description becomes the lead of the page, unless the page has its
 * own description.
 */
function remainder(description: string, lead: string): string {
  const text = description.trim();
  if (lead.trim() === '') return text;
  return text.startsWith(lead.trim()) ? text.slice(lead.trim().length).trim() : '';
}

function schemaPart({ spec, name }: Extract<ApiTarget, { kind: 'schema' }>, page: ApiPage): ApiPart {
  const { renderer, plan, task } = page;
  const view = schemaPageView(documentOf(spec, plan), name, limitsOf(page));
  if (!view) return nothing;
  const { expandParameters: expanded, parameterPills: pills } = plan.api;
  const schema = { ...view.schema, description: remainder(view.schema.description, task.description) };
  if (view.example !== undefined && !renderer.collector.besideKinds.has('response')) {
    const example = { name: '', summary: '', language: 'json', text: view.example } as const;
    renderer.collector.aside.push({
      html: schemaExamples([example], renderer, sayIn(task.language)),
      kind: 'response',
    });
  }
  return { ...nothing, html: schemaHtml(schema, { page: renderer, idPrefix: 'schema', expanded, pills }) };
}

function channelPart({ spec, name }: Extract<ApiTarget, { kind: 'channel' }>, page: ApiPage): ApiPart {
  const { renderer, plan, task } = page;
  const view = channelView(documentOf(spec, plan), name, limitsOf(page));
  if (!view) return nothing;
  const { besideKinds } = renderer.collector;
  if (!besideKinds.has('request') && !besideKinds.has('response'))
    renderer.collector.aside.push({ html: channelExamples(view, renderer), kind: 'request' });
  const description = remainder(view.description || view.summary, task.description);
  const html = proseHtml(description, renderer) + channelHtml(view, { page: renderer, api: plan.api });
  return { ...nothing, bar: barHtml(channelBar(view, plan.api.showsFullUrl), sayIn(task.language)), html };
}

function surroundings(view: OperationView, { renderer, plan, task }: ApiPage): Omit<ApiPart, 'html'> {
  const { besideKinds, aside } = renderer.collector;
  const { api, airGapped } = plan;
  const say = sayIn(task.language);
  if (!besideKinds.has('request')) {
    if (view.kind === 'webhook')
      aside.unshift({ html: payloadExamples(view, renderer, say), kind: 'request' });
    else
      aside.unshift(
        { html: requestExamples(samplesOf(view, api), renderer, say), kind: 'request' },
        { html: bodyExamples(view, renderer, say) },
      );
  }
  if (!besideKinds.has('response'))
    aside.push({ html: responseExamples(view, renderer, say), kind: 'response' });
  const playground = task.playground ?? api.playground;
  const { credentials, examples } = api;
  const texts = apiTexts(task.language);
  const form = tryItOf(view, { playground, airGapped, credentials, prefill: examples.prefill, texts });
  if (form) renderer.collector.features.add('try-it');
  const shown: BarView = {
    method: view.kind === 'webhook' ? 'WEBHOOK' : view.method,
    path: view.path,
    server: view.kind === 'webhook' ? '' : initialUrl(view.servers[0]),
    showsServer: api.showsFullUrl,
    deprecated: view.deprecated,
    hasForm: form !== undefined,
  };
  return { bar: barHtml(shown, say) + (form?.html ?? ''), connectSources: form?.connectSources ?? [] };
}

function samplesOf(view: OperationView, { examples }: SitePlan['api']): CodeSample[] {
  return examples.generate ? requestSamples(view, examples) : view.ownSamples;
}

const maxYamlCharacters = 250_000;

/** The specification excerpt for the Markdown of an API page; empty when the site disables it. */
export function specMarkdown(plan: Pick<SitePlan, 'specs' | 'specInMarkdown'>, target: ApiTarget): string {
  if (!plan.specInMarkdown || target.kind === 'front-matter' || !Object.hasOwn(plan.specs, target.spec))
    return '';
  const yaml = yamlOf(plan.specs[target.spec] ?? {}, target);
  if (yaml === undefined || yaml.length > maxYamlCharacters) return '';
  const fence = fenceFor(yaml);
  const heading = target.kind === 'channel' ? 'AsyncAPI' : 'OpenAPI';
  return `## ${heading}\n\n${fence}yaml ${titleOf(target)}\n${yaml.trimEnd()}\n${fence}`;
}

function yamlOf(
  document: SpecDocument,
  target: Exclude<ApiTarget, { kind: 'front-matter' }>,
): string | undefined {
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

function titleOf(target: Exclude<ApiTarget, { kind: 'front-matter' }>): string {
  const what = target.kind === 'operation' ? `${target.method.toUpperCase()} ${target.path}` : target.name;
  return `${target.spec} ${what}`.replaceAll(/[\s`]+/g, ' ').trim();
}

/** Longer than any run of backticks inside. */
function fenceFor(text: string): string {
  if (!text.includes('```')) return '```';
  const longest = Math.max(2, ...(text.match(/`{3,200}/g) ?? []).slice(0, 1000).map(({ length }) => length));
  return '`'.repeat(longest + 1);
}
