import { expect, it } from 'vitest';
import { compileModule } from './compile.ts';
import { factoryOf } from './file.ts';
import { compileFile } from './file.ts';
import { type LiveNeeds, liveNeeds } from './live-needs.ts';

function needsOf(source: string): LiveNeeds {
  return liveNeeds([{ id: 'a.jsx', factory: factoryOf(compileModule(source, () => undefined).code) }]);
}

it('possible class names are found in every string', () => {
  const source = `const a = on ? 'bg-red-500 hover:underline' : \`p-[3px] \${b} dark:text-white/60\`;
    const c = <i className="mt-2 md:w-1/2">Some text</i>`;
  expect(needsOf(source).classNames).toEqual(
    expect.arrayContaining([
      'bg-red-500',
      'hover:underline',
      'p-[3px]',
      'dark:text-white/60',
      'mt-2',
      'md:w-1/2',
    ]),
  );
});

it('addresses of the site are found, other ones are not', () => {
  const source = `const a = ['/guide', './picture.png', '../api#x', '//cdn.example', 'https://x.example/y', 'a/b', '/a b', '/']`;
  expect(needsOf(source).addresses).toEqual(['/guide', './picture.png', '../api#x', '/']);
});

it('hosts in code are found', () => {
  const source = `fetch('https://API.example.com/v1?x'); fetch(\`http://localhost:3000/\${a}\`); fetch(\`https://\${host}/x\`); fetch(\`https://api\${n}.example\`);
    fetch('see https://a.example, or https://b.example/'); new WebSocket('wss://live.example')`;
  expect(needsOf(source).hosts).toEqual([
    'https://api.example.com',
    'http://localhost:3000',
    'https://b.example',
    'wss://live.example',
  ]);
});

it('data modules are read', () => {
  const { factory } = compileFile(
    'a.json',
    '{ "list": ["/guide", { "a": "mt-2" }], "n": 1 }',
    () => undefined,
  );
  expect(liveNeeds([{ id: 'a.json', factory }])).toMatchObject({
    classNames: ['mt-2'],
    addresses: ['/guide'],
  });
});
