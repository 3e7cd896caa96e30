import { asText, asTexts, at, textAt } from './json.ts';
import type { ApiSettings, PlaygroundDisplay, SpecSource } from '../model/site-plan.ts';

export function readApiSettings(api: unknown): ApiSettings {
  const authMethod = textAt(api, 'mdx', 'auth', 'method');
  return {
    openapi: readSpecSources(at(api, 'openapi')),
    asyncapi: readSpecSources(at(api, 'asyncapi')),
    playground:
      playgroundOf(at(api, 'playground', 'display') ?? at(api, 'playground', 'mode')) ?? 'interactive',
    credentials: at(api, 'playground', 'credentials') === true,
    expandParameters: at(api, 'params', 'expanded') === 'all',
    parameterPills: asTexts(at(api, 'params', 'post')),
    showsFullUrl: at(api, 'url') === 'full',
    examples: {
      languages: asTexts(at(api, 'examples', 'languages')),
      onlyRequired: at(api, 'examples', 'defaults') === 'required',
      prefill: at(api, 'examples', 'prefill') === true,
      generate: at(api, 'examples', 'autogenerate') !== false,
    },
    frontMatterDefaults: {
      servers: asTexts(at(api, 'mdx', 'server')),
      ...(authMethod ? { auth: { method: authMethod, name: textAt(api, 'mdx', 'auth', 'name') ?? '' } } : {}),
    },
  };
}

export function readSpecSources(value: unknown): SpecSource[] {
  return (Array.isArray(value) ? value : [value]).flatMap((item): SpecSource[] => {
    const source = asText(item) ?? textAt(item, 'source');
    if (!source) return [];
    const directory = textAt(item, 'directory');
    return [{ source, overlays: asTexts(at(item, 'overlays')), ...(directory ? { directory } : {}) }];
  });
}

export function playgroundOf(value: unknown): PlaygroundDisplay | undefined {
  const name = value === 'show' ? 'interactive' : value === 'hide' ? 'none' : value;
  return (['interactive', 'simple', 'none', 'auth'] as const).find((display) => display === name);
}
