import type { PageContext } from '../../components/contract.ts';
import { fieldHtml, fieldLabel } from '../../components/fields.ts';
import { element } from '../../text/html.ts';
import type { SecuritySchemeView } from '../view.ts';
import { codeHtml, factLine, note } from './facts.ts';
import { proseHtml } from './prose.ts';

export function securityHtml(alternatives: readonly SecuritySchemeView[][], page: PageContext): string {
  const needed = alternatives.filter((schemes) => schemes.length > 0);
  if (needed.length === 0) return '';
  const isOptional = needed.length < alternatives.length;
  const groups = needed.map((schemes) =>
    element(
      'div',
      { class: 'dy-schema' },
      schemes.map((scheme) => schemeHtml(scheme, !isOptional, page)).join(''),
    ),
  );
  const lead = isOptional ? note('Optional: the request also works without authentication.') : '';
  return lead + groups.join('<p class="dy-schema-or"><span>or</span></p>');
}

function schemeHtml(scheme: SecuritySchemeView, required: boolean, page: PageContext): string {
  const isHeader = scheme.type !== 'apiKey' && scheme.type !== 'mutualTLS';
  return fieldHtml({
    id: page.uniqueId(`authorization-${scheme.id}`),
    name: isHeader ? 'Authorization' : scheme.parameter || scheme.id,
    type: typeName(scheme),
    deprecated: false,
    labels: [
      scheme.type !== 'mutualTLS' && fieldLabel(isHeader ? 'header' : scheme.in),
      required && fieldLabel('required', 'dy-field-required'),
    ],
    body:
      (proseHtml(scheme.description, page) || `<p>${usage(scheme)}</p>`) +
      factLine('Scopes', scheme.scopes.map(codeHtml)) +
      factLine('Sign in at', addresses(scheme, 'authorizationUrl')) +
      factLine('Tokens from', addresses(scheme, 'tokenUrl')),
  });
}

function typeName({ type, scheme }: SecuritySchemeView): string {
  if (type === 'http') return scheme || 'http';
  return { apiKey: 'API key', oauth2: 'OAuth 2.0', openIdConnect: 'OpenID Connect', mutualTLS: 'mutual TLS' }[
    type
  ];
}

function usage({ type, scheme, in: place, parameter }: SecuritySchemeView): string {
  if (type === 'apiKey') {
    const where = { header: 'header', query: 'query parameter', cookie: 'cookie' }[place];
    return `Your API key, in the ${where} ${codeHtml(parameter)}.`;
  }
  if (type === 'mutualTLS') return 'A client certificate.';
  if (scheme.toLowerCase() === 'basic')
    return `${codeHtml('Basic <credentials>')}: user name and password, joined by a colon, in Base64.`;
  if (type === 'http' && scheme.toLowerCase() !== 'bearer')
    return `${codeHtml(`${scheme} <credentials>`)} in this header.`;
  return `${codeHtml('Bearer <token>')} with your token.`;
}

function addresses({ flows }: SecuritySchemeView, key: 'authorizationUrl' | 'tokenUrl'): string[] {
  return [...new Set(flows.flatMap((flow) => flow[key] ?? []))].map(codeHtml);
}
