/** Writes a deterministic site with the usual elements of documentation. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const words =
  'service request page build search token cache value project folder every change export reader answer key signs when with into small local before after without there record status branch commit server client limit window second number order stream'.split(
    ' ',
  );
const perGroup = 8;

/** Sites of different seeds have no paragraph in common. */
export function writeCounterSite(folder: string, pages: number, seed: number): void {
  const random = numbersFrom(seed);
  const names = Array.from(
    { length: pages },
    (_, index) => `group-${Math.floor(index / perGroup)}/page-${index}`,
  );
  const groups = Map.groupBy(names, (name) => name.slice(0, name.indexOf('/')));
  const navigation = {
    groups: [
      ...[...groups].map(([group, own]) => ({ group, pages: own })),
      { group: 'Operations', openapi: 'openapi.json' },
    ],
  };
  const docs = { theme: 'mint', name: 'Counters', colors: { primary: '#0f766e' }, navigation };
  write(folder, 'docs.json', JSON.stringify(docs));
  write(folder, 'openapi.json', JSON.stringify(description(pages / 8)));
  for (const [index, name] of names.entries()) write(folder, `${name}.mdx`, page(index, names, random));
}

function page(index: number, names: readonly string[], random: () => number): string {
  const say = (count: number) => sentence(count, random);
  const other = names[(index * 7 + 3) % names.length] ?? '';
  const name = `${words[index % words.length]}${index}`;
  return `---
title: "Page ${index}: ${say(3)}"
description: "${say(9)}"
---

${say(40)} See [the other one](/${other}) and \`${name}\`.

## ${say(3)}

${say(60)} **${say(3)}** and *${say(2)}*, ${say(20)}.

- ${say(9)}
- ${say(12)}
- [${say(2)}](/${other}#parameters)

\`\`\`ts title="${name}.ts"
import { ${name} } from './${name}.ts';

/** ${say(8)} */
export async function read${index}(path: string, limit = ${index}): Promise<string[]> {
  const lines = (await ${name}(path)).split('\\n');
  return lines.filter((line) => line.length > limit).map((line, at) => \`\${at}: \${line}\`);
}
\`\`\`

<Note>${say(14)}</Note>

## ${say(4)}

| Name | Meaning |
|---|---|
| \`${name}\` | ${say(7)} |
| \`limit\` | ${say(9)} |

<Tabs>
  <Tab title="Shell">
    \`\`\`bash
    curl -s "https://api.example.com/${name}?limit=${index}" | jq '.items[] | .id'
    \`\`\`
  </Tab>
  <Tab title="Python">
    \`\`\`python
    def ${name}(items, limit=${index}):
        """${say(6)}"""
        return {item.id: item for item in items if item.size > limit}
    \`\`\`
  </Tab>
</Tabs>

<Steps>
  <Step title="${say(2)}">${say(15)}</Step>
  <Step title="${say(3)}">${say(18)}</Step>
</Steps>

### Parameters

${say(50)} The sum is $a_${index} + b^2$.

\`\`\`json
{ "name": "${name}", "limit": ${index}, "items": [1, 2.5, null, true, "${say(4)}"] }
\`\`\`
`;
}

function description(operations: number) {
  const paths = Array.from({ length: operations }, (_, index) => {
    const get = {
      summary: `Read ${words[index]}`,
      parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } }],
      responses: {
        200: {
          description: 'Found',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Record' } } },
        },
      },
    };
    return [`/${words[index]}`, { get }];
  });
  const properties = Object.fromEntries(
    words.slice(0, 8).map((word) => [word, { type: 'string', description: word }]),
  );
  return {
    openapi: '3.1.0',
    info: { title: 'Counters', version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths: Object.fromEntries(paths),
    components: { schemas: { Record: { type: 'object', properties } } },
  };
}

function sentence(count: number, random: () => number): string {
  return Array.from({ length: count }, () => words[Math.floor(random() * words.length)]).join(' ');
}

/** Park and Miller's generator. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 0x7fff_ffff) / 0x7fff_ffff;
}

function write(folder: string, name: string, text: string): void {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
