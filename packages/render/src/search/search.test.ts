import { describe, expect, it } from 'vitest';
import { type Answer, type TestPage, indexFiles, searchIn } from '../../test/support/memory-search.ts';

function ask(pages: TestPage[], question: string, scope = 0): Promise<Answer> {
  return searchIn(indexFiles(pages)).search.find(question, { scope, limit: 8 });
}

async function titles(pages: TestPage[], question: string): Promise<string[]> {
  return (await ask(pages, question)).results.map(({ title }) => title);
}

const nouns = 'token page server agent cache queue project webhook domain export schema layout trigger'.split(
  ' ',
);
const verbs = 'create rename archive restore measure protect inspect publish migrate schedule'.split(' ');

function library(count: number): TestPage[] {
  let seed = 7;
  const pick = (list: string[]): string => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return list[seed % list.length] ?? '';
  };
  return Array.from({ length: count }, (_, at) => {
    const title = `${pick(verbs)} a ${pick(nouns)} number ${at}`;
    const sections = Array.from({ length: 4 }, (_, section) => {
      const text = Array.from({ length: 30 }, () => pick(seed % 2 ? nouns : verbs)).join(' ');
      return `<h2 id="h${section}">${pick(verbs)} ${pick(nouns)} ${at}x${section}</h2><p>${text} word${at % 50}</p>`;
    });
    return { title, html: `<p>About it.</p>${sections.join('')}` };
  });
}

describe('the search index', () => {
  const pages = library(300);
  const files = indexFiles(pages);

  it('every page is found first by its title and every section by its heading', async () => {
    const { search } = searchIn(files);
    for (let at = 0; at < pages.length; at += 13) {
      const [page] = (await search.find(pages[at]?.title ?? '', { scope: 0, limit: 3 })).results;
      expect(page?.href).toBe(`p${at}.html`);
      const heading = /id="h2">([^<]+)</.exec(pages[at]?.html ?? '')?.[1] ?? '';
      const [section] = (await search.find(heading, { scope: 0, limit: 3 })).results;
      expect([section?.href, section?.sections[0]?.id]).toEqual([`p${at}.html`, 'h2']);
    }
  });

  it('the index does not depend on the page order', () => {
    const order = [...pages.keys()].toSorted((a, b) => ((a * 7919) % 300) - ((b * 7919) % 300));
    const again = indexFiles(pages, { order });
    expect(again.size).toBe(files.size);
    for (const [path, content] of files) expect(again.get(path)).toBe(content);
  });

  it('a search loads small files', async () => {
    const { search, loaded } = searchIn(files);
    const before = files.size;
    await search.find('zebra', { scope: 0, limit: 8 });
    await search.find('word7', { scope: 0, limit: 8 });
    expect(before).toBeGreaterThan(20);
    expect(loaded.filter((path) => /\/t\d/.test(path)).length).toBeLessThanOrEqual(6);
    expect(loaded.filter((path) => /\/p\d/.test(path)).length).toBeLessThanOrEqual(8);
    for (const content of files.values()) expect(content.length).toBeLessThan(60_000);
  });

  it('a search loads only the shards of its words', async () => {
    const between = Array.from({ length: 1500 }, (_, at) => `toolbar${at}`);
    const many = indexFiles([
      ...Array.from({ length: 120 }, () => ({ title: 'Box', html: '<p>A tool with a tip.</p>' })),
      { title: 'Tooltip', html: '<p>Tooltip.</p>' },
      { title: 'Tooltips', html: '<p>Tooltip.</p>' },
      { title: 'Bars', html: `<p>${between.join(' ')}</p>` },
    ]);
    const { search, loaded } = searchIn(many);
    const terms = (): number => loaded.filter((path) => /\/t\d/.test(path)).length;
    expect((await search.find('tool', { scope: 0, limit: 3 })).total).toBe(121);
    expect(terms()).toBe(1);
    expect((await search.find('tool tip', { scope: 0, limit: 3 })).results[0]?.title).toBe('Tooltip');
  });

  it('an outdated query loads no further files', async () => {
    const { search, loaded } = searchIn(files);
    let asked = 0;
    const isStale = (): boolean => ++asked > 1;
    expect((await search.find('create', { scope: 0, limit: 8, isStale })).results).toEqual([]);
    expect(loaded.some((path) => /\/p\d/.test(path))).toBe(false);
    await search.find('word7', { scope: 0, limit: 8, isStale: () => true });
    expect(loaded.filter((path) => /\/t\d/.test(path)).length).toBeLessThan(5);
  });

  it('each index file is a single call', () => {
    for (const [path, content] of files) {
      const name = /(\w+)\.js$/.exec(path)?.[1];
      expect(content.startsWith(`docyardSearch("${name}",`)).toBe(true);
      expect(content.endsWith(')\n')).toBe(true);
    }
  });

  it('the index of an empty site has no results', async () => {
    const { search } = searchIn(indexFiles([]));
    expect((await search.find('anything', { scope: 0, limit: 8 })).results).toEqual([]);
  });

  it('text that looks like a script is escaped', async () => {
    const page = {
      title: '`${alert(1)}` \\ </script>',
      html: '<p>`${x}` \\u0041 \u2028 &lt;/script&gt;</p>',
    };
    expect(await titles([page], 'alert')).toEqual([page.title]);
  });
});

describe('ranking', () => {
  const page = (title: string, html = '', rest: Partial<TestPage> = {}): TestPage => ({
    title,
    html,
    ...rest,
  });
  const filler = '<p>Some other text about many things that readers may want to know.</p>';

  it('titles rank before headings before text', async () => {
    const pages = [
      page('Alpha', `${filler}<p>webhook</p>`),
      page('Beta', `${filler}<h2 id="w">Webhook</h2>${filler}`),
      page('Webhook', filler),
    ];
    expect(await titles(pages, 'webhook')).toEqual(['Webhook', 'Beta', 'Alpha']);
  });

  it('a title that equals the query ranks first', async () => {
    const pages = [
      page('Configure authentication for teams', '<p>authentication authentication</p>'),
      page('Authentication', filler),
    ];
    expect((await titles(pages, 'authentication'))[0]).toBe('Authentication');
  });

  it('pages with all words rank first', async () => {
    const pages = [
      page('Domain', filler),
      page('Custom colors', filler),
      page('Hosting', `${filler}<h2 id="c">Custom domain</h2><p>Point it here.</p>`),
    ];
    const [first] = (await ask(pages, 'custom domain')).results;
    expect([first?.title, first?.sections[0]?.id]).toEqual(['Hosting', 'c']);
  });

  it('boost and keywords affect the ranking', async () => {
    const pages = [
      page('Deploy one', '<p>deploy</p>'),
      page('Deploy two', '<p>deploy</p>', { boost: 3 }),
      page('Ship it', filler, { keywords: ['rollout', 'release'] }),
    ];
    expect((await titles(pages, 'deploy'))[0]).toBe('Deploy two');
    expect(await titles(pages, 'rollout')).toEqual(['Ship it']);
  });

  it('stop words are ignored beside other words', async () => {
    const pages = [page('How to do it', filler), page('Logo', '<p>Add a logo to the site.</p>')];
    expect((await titles(pages, 'how to add a logo'))[0]).toBe('Logo');
  });

  it('identifiers are found as a whole and by their parts', async () => {
    const pages = [
      page('Users', '<p>Call <code>createUserToken</code> first.</p>'),
      page('Settings', '<p>Set <code>max_output_tokens</code> in docs.json.</p>'),
      page('Client', '<pre><code><span>client</span>.<span>sendBatch</span>(items)</code></pre>'),
    ];
    expect((await titles(pages, 'createUserToken'))[0]).toBe('Users');
    expect((await titles(pages, 'createuser'))[0]).toBe('Users');
    expect((await titles(pages, 'max_output_tokens'))[0]).toBe('Settings');
    expect((await titles(pages, 'docs.json'))[0]).toBe('Settings');
    expect((await titles(pages, 'sendBatch'))[0]).toBe('Client');
  });

  it('joined and separate spellings match', async () => {
    const pages = [page('Frontmatter', filler), page('Matter', filler)];
    expect((await titles(pages, 'front matter'))[0]).toBe('Frontmatter');
    expect((await titles([page('Front-matter fields', filler)], 'frontmatter'))[0]).toBe(
      'Front-matter fields',
    );
  });
});

describe('inexact words', () => {
  const pages: TestPage[] = [
    { title: 'Authentication', html: '<p>Sign in with a password.</p>' },
    { title: 'Webhooks', html: '<p>Receive events.</p>' },
    { title: 'Deployment', html: '<p>Deploying takes a minute. Deployed pages are cached.</p>' },
  ];

  it('prefixes match', async () => {
    expect(await titles(pages, 'web')).toEqual(['Webhooks']);
    expect(await titles(pages, 'authen')).toEqual(['Authentication']);
  });

  it('words with a typo match, also in the first letter', async () => {
    for (const slip of ['webhok', 'wehbook', 'webhoook', 'vebhook', 'webhokos'])
      expect(await titles(pages, slip), slip).toEqual(['Webhooks']);
    for (const slip of ['autentication', 'authentcation', 'authenticatoin', 'auhtentciation'])
      expect(await titles(pages, slip), slip).toEqual(['Authentication']);
    expect((await ask(pages, 'webhok ')).corrected).toBe('webhook');
    expect((await ask(pages, 'webhook')).corrected).toBeNull();
  });

  it('inflected words match', async () => {
    expect(await titles(pages, 'deploying')).toEqual(['Deployment']);
    expect(await titles(pages, 'webhook ')).toEqual(['Webhooks']);
  });

  it('a query without results gets suggestions', async () => {
    const { search } = searchIn(indexFiles(pages));
    expect((await search.find('xylophone', { scope: 0, limit: 8 })).results).toEqual([]);
    expect(await search.suggest('webbhuk', 0)).toContain('webhook');
  });
});

describe('Chinese, Japanese and Korean', () => {
  const pages: TestPage[] = [
    {
      title: '快速入门',
      html: '<p>安装命令行工具，然后创建一个项目。</p><h2 id="api">配置API密钥</h2><p>在设置里。</p>',
    },
    { title: '自定义域名', html: '<p>把文档发布到自己的域名。</p>' },
    { title: 'インストール', html: '<p>コマンドラインツールをインストールします。</p>' },
    { title: '설치하기', html: '<p>명령줄 도구를 설치합니다.</p>' },
  ];

  it('CJK text is found by words, parts of words and single characters', async () => {
    expect(await titles(pages, '安装')).toEqual(['快速入门']);
    expect((await titles(pages, '自定义域名'))[0]).toBe('自定义域名');
    expect((await titles(pages, '域'))[0]).toBe('自定义域名');
    expect((await titles(pages, 'インスト'))[0]).toBe('インストール');
    expect((await titles(pages, '설치'))[0]).toBe('설치하기');
  });

  it('CJK text beside Latin words is found with its section', async () => {
    const [first] = (await ask(pages, 'API密钥')).results;
    expect([first?.title, first?.sections[0]?.id]).toEqual(['快速入门', 'api']);
  });

  it('CJK matches are marked in excerpts', async () => {
    const { search } = searchIn(indexFiles(pages));
    const { results, terms } = await search.find('命令行', { scope: 0, limit: 8 });
    const text = results[0]?.sections[0]?.text ?? '';
    expect(search.marksIn(text, terms).map(([from, to]) => text.slice(from, to))).toEqual(['命令行']);
  });
});

describe('languages and versions', () => {
  it('languages and versions are searched separately or together', async () => {
    const scopes = [
      { language: 'en', version: '' },
      { language: 'de', version: '' },
    ];
    const pages: TestPage[] = [
      { title: 'Export', html: '', scopes: [0] },
      { title: 'Export auf Deutsch', html: '', scopes: [1] },
      { title: 'Export for both', html: '', scopes: [0, 1] },
    ];
    const { search } = searchIn(indexFiles(pages, { scopes }));
    const found = async (scope: number): Promise<number> =>
      (await search.find('export', { scope, limit: 8 })).results.length;
    expect([await found(0), await found(1), await found(-1)]).toEqual([2, 2, 3]);
  });
});
