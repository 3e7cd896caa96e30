import { asList, asObject, asText, at, textAt } from '../config/json.ts';
import { nameOfReference, referenceOf, resolve } from '../openapi/references.ts';
import type { ChannelSecurityView } from './view.ts';
import type { SpecDocument } from '../model/site-plan.ts';

const maxSchemes = 20;

const typeNames: Record<string, string> = {
  userPassword: 'user name and password',
  apiKey: 'API key',
  httpApiKey: 'API key',
  http: 'HTTP',
  X509: 'client certificate',
  symmetricEncryption: 'symmetric encryption',
  asymmetricEncryption: 'asymmetric encryption',
  oauth2: 'OAuth 2.0',
  openIdConnect: 'OpenID Connect',
  plain: 'SASL PLAIN',
  scramSha256: 'SASL SCRAM-SHA-256',
  scramSha512: 'SASL SCRAM-SHA-512',
  gssapi: 'SASL GSSAPI',
};

export function securityViews(document: SpecDocument, owner: unknown): ChannelSecurityView[] {
  return asList(at(owner, 'security'))
    .slice(0, maxSchemes)
    .flatMap((entry) => {
      const scheme = resolve(document, entry);
      const type = textAt(scheme, 'type');
      if (type === undefined) return [];
      const reference = referenceOf(entry);
      return [schemeView(scheme, type, reference ? nameOfReference(reference) : type)];
    });
}

function schemeView(scheme: unknown, type: string, id: string): ChannelSecurityView {
  const isHttp = type === 'http';
  const known = Object.hasOwn(typeNames, type) ? (typeNames[type] ?? type) : type;
  const usesHeader = isHttp || type === 'oauth2' || type === 'openIdConnect';
  const flows = Object.values(asObject(at(scheme, 'flows')) ?? {}).slice(0, maxSchemes);
  const addresses = [
    textAt(scheme, 'openIdConnectUrl'),
    ...flows.flatMap((flow) => [textAt(flow, 'authorizationUrl'), textAt(flow, 'tokenUrl')]),
  ];
  return {
    id,
    type: isHttp ? (textAt(scheme, 'scheme') ?? known) : known,
    parameter: textAt(scheme, 'name') ?? (usesHeader ? 'Authorization' : id),
    place: textAt(scheme, 'in') ?? (usesHeader ? 'header' : ''),
    description: textAt(scheme, 'description') ?? '',
    scopes: asList(at(scheme, 'scopes')).flatMap((scope) => asText(scope) ?? []),
    addresses: [...new Set(addresses.filter((address) => address !== undefined))],
  };
}
