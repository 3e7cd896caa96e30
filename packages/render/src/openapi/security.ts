import { asList, asObject, asText, at } from '../config/json.ts';
import { resolve } from './references.ts';
import type { SecuritySchemeView } from './view.ts';
import type { SpecDocument } from '../model/site-plan.ts';

const maxAlternatives = 20;

/** Defaults to the document's `security`. Alternatives with an unknown scheme are omitted. */
export function securityView(document: SpecDocument, operation: unknown): SecuritySchemeView[][] {
  const own = at(operation, 'security');
  const alternatives = asList(Array.isArray(own) ? own : at(document, 'security'));
  return alternatives.slice(0, maxAlternatives).flatMap((alternative) => {
    const needed = Object.entries(asObject(alternative) ?? {}).slice(0, maxAlternatives);
    const schemes = needed.map(([id, scopes]) => schemeView(document, id, scopes));
    return schemes.every((scheme) => scheme !== undefined) ? [schemes] : [];
  });
}

function schemeView(document: SpecDocument, id: string, scopes: unknown): SecuritySchemeView | undefined {
  const scheme = resolve(document, at(document, 'components', 'securitySchemes', id));
  const type = (['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'] as const).find(
    (kind) => kind === at(scheme, 'type'),
  );
  if (!type) return undefined;
  const isKey = type === 'apiKey';
  const place =
    (['header', 'query', 'cookie'] as const).find((name) => isKey && name === at(scheme, 'in')) ?? 'header';
  const prefill = asText(at(scheme, 'x-default')) ?? asText(at(scheme, 'x-mint', 'default'));
  return {
    id,
    type,
    in: place,
    parameter: isKey ? (asText(at(scheme, 'name')) ?? id) : 'Authorization',
    scheme: type === 'http' ? (asText(at(scheme, 'scheme')) ?? 'bearer').toLowerCase() : '',
    description: asText(at(scheme, 'description')) ?? '',
    scopes: asList(scopes).flatMap((scope) => asText(scope) ?? []),
    flows: flowsOf(scheme),
    ...(prefill === undefined ? {} : { prefill }),
  };
}

function flowsOf(scheme: unknown): SecuritySchemeView['flows'] {
  return Object.entries(asObject(at(scheme, 'flows')) ?? {})
    .slice(0, maxAlternatives)
    .map(([kind, flow]) => {
      const authorizationUrl = asText(at(flow, 'authorizationUrl'));
      const tokenUrl = asText(at(flow, 'tokenUrl'));
      return { kind, ...(authorizationUrl ? { authorizationUrl } : {}), ...(tokenUrl ? { tokenUrl } : {}) };
    });
}
