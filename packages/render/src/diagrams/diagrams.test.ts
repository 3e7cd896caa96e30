import { describe, expect, it } from 'vitest';
import { renderFiles, renderFixture } from '../../test/support/render-fixture.ts';
import { drawDiagram } from './draw.ts';
import { canonicalFlowchart } from './flowchart.ts';
import { readGantt } from './gantt.ts';
import { canonicalClass, canonicalEntities, canonicalState } from './state-class-entity.ts';
import { drawSequence } from './sequence-drawing.ts';
import { readSequence } from './sequence.ts';
import { decodeMarkup, readDiagramSource } from './source.ts';

const flow = (code: string): string[] =>
  decodeMarkup(canonicalFlowchart(readDiagramSource(code)))
    .split('\n')
    .slice(1);

describe('flowcharts', () => {
  it.each([
    ['graph TD\nA-->B', ['n1[A]', 'n2[B]', 'n1 --> n2']],
    ['graph\nA--->B', ['n1[A]', 'n2[B]', 'n1 --> n2']],
    ['graph LR; A-->B; B-.->C', ['n1[A]', 'n2[B]', 'n3[C]', 'n1 --> n2', 'n2 -.-> n3']],
    ['graph TD\nA["a [b] (c)"]-->|x y|B', ['n1[a [b] (c)]', 'n2[B]', 'n1 -->|x y| n2']],
    ['graph TD\nA -- yes --> B', ['n1[A]', 'n2[B]', 'n1 -->|yes| n2']],
    ['graph TD\nA == sure ==> B', ['n1[A]', 'n2[B]', 'n1 ==>|sure| n2']],
    ['graph TD\na & b --> c', ['n1[a]', 'n2[b]', 'n3[c]', 'n1 --> n3', 'n2 --> n3']],
    ['graph TD\nA ~~~ B', ['n1[A]', 'n2[B]']],
    ['graph TD\nA e1@--> B\ne1@{ animate: true }', ['n1[A]', 'n2[B]', 'n1 --> n2']],
    ['graph TD\nA((x)) <--> B{y}', ['n1((x))', 'n2{y}', 'n1 <--> n2']],
    ['graph TD\nA@{ shape: cyl, label: "Data" }', ['n1[(Data)]']],
    ['graph TD\n数据-->ünï', ['n1[数据]', 'n2[ünï]', 'n1 --> n2']],
    ['graph TD\n%% note\nA --> B %% why\nclick A "x"', ['n1[A]', 'n2[B]', 'n1 --> n2']],
    [
      'graph TD\nsubgraph one [First]\nA\nend\none --> B',
      ['n2[B]', 'subgraph g1 [First]', 'n1[A]', 'end', 'g1 --> n2'],
    ],
    ['graph TD\nA:::hot\nclassDef hot fill:#000', ['n1[A]', 'style n1 fill:#000,stroke:#000,color:#ffffff']],
  ])('the flowchart %j is normalized', (code, expected) => {
    expect(flow(code)).toEqual(expected);
  });

  it.each(['graph TD\nA[open --> B', 'graph TD\nA => B', 'graph TD', 'graph TD\nA --> '])(
    'the diagram %j is rejected',
    (code) => {
      expect(() => flow(code)).toThrow();
    },
  );
});

describe('other diagrams', () => {
  it('state diagrams keep choices, notes and nested states', () => {
    const text = decodeMarkup(
      canonicalState(
        readDiagramSource(
          'stateDiagram-v2\n[*] --> A: go\nstate c <<choice>>\nA --> c\nstate B {\nx --> y\n}\nnote right of A: Hm',
        ),
      ),
    );
    expect(text).toContain('[*] --> s1 : go');
    expect(text).toContain('s2 : ◇');
    expect(text).toMatch(/state "B" as s3 \{\ns4 : x\ns5 : y\ns4 --> s5\n\}/);
    expect(text).toContain('note1 : Hm');
  });

  it('class and entity diagrams are normalized', () => {
    expect(
      decodeMarkup(canonicalClass(readDiagramSource('classDiagram\nA<|--B\nA : +run() void'))),
    ).toContain('A <|-- B');
    expect(
      decodeMarkup(canonicalEntities(readDiagramSource('erDiagram\nA ||--o{ B\nC {\nint id PK, FK\n}'))),
    ).toMatch(/A \|\|--o\{ B : .*\nC \{\nint id PK FK\n\}/);
    expect(() => canonicalClass(readDiagramSource('classDiagram\nA ~~~ B ~ C'))).toThrow();
  });

  it('a sequence diagram has room for every line', () => {
    const svg = drawSequence(
      readSequence(
        readDiagramSource(
          'sequenceDiagram\nautonumber\nactor U as User\nparticipant Web App\nU->>+Web App: Hi<br/>there\nalt a\nWeb App-->>-U: ok\nelse b\nWeb App--xU: no\nend\nNote over U,Web App: x\nactivate U\ndeactivate U',
        ),
      ),
    );
    expect(svg).toContain('1. Hi</tspan>');
    expect(svg).toContain('url(#cross)');
    expect(svg).toContain('[b]');
  });
});

const texts = (code: string): string[] =>
  [...drawDiagram(code, '').svg.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map((match) =>
    (match[1] ?? '')
      .replaceAll('</tspan>', ' ')
      .replaceAll(/<[^>]*>/g, '')
      .trim(),
  );

describe('charts', () => {
  it.each([
    [
      'pie',
      'pie showData title Pets\n"Dogs" : 30\n"Cats" : 10',
      ['Pets', 'Dogs (30)', '75%', 'Cats (10)', '25%'],
    ],
    ['pie of one', 'pie\n"All" : 3', ['All', '100%']],
    [
      'gantt',
      'gantt\ntitle Plan\nsection One\nA :done, a, 2024-01-01, 2d\nB :crit, after a, 3d',
      ['Plan', 'Jan 1', 'Jan 2', 'Jan 3', 'Jan 4', 'Jan 5', 'Jan 6', 'One', 'A', 'B'],
    ],
    [
      'mind map',
      'mindmap\n  root((Middle))\n    A\n      [B <br> b]\n    ::icon(x)\n    C',
      ['B b', 'A', 'C', 'Middle'],
    ],
    [
      'git history',
      'gitGraph\ncommit id: "one"\nbranch next\ncommit\ncheckout main\nmerge next tag: "v1"\ncherry-pick id: "one"',
      ['main', 'next', 'one', 'v1'],
    ],
    [
      'timeline',
      'timeline\ntitle Web\nsection Early\n1989 : Idea\n1991 : Site : Browser\n: at https://example.com',
      ['Web', 'Early', '1989', 'Idea', '1991', 'Site', 'Browser', 'at https://example.com'],
    ],
    [
      'journey',
      'journey\nsection Day\nTea: 5: Me, Cat\nWork: 1: Me',
      ['Day', 'Tea', 'Me', 'Cat', 'Work', 'Me'],
    ],
    [
      'quadrants',
      'quadrantChart\nx-axis Low --> High\ny-axis Bad --> Good\nquadrant-1 Go\nA: [0.3, 0.6]',
      ['Go', '', '', '', 'A', 'Low', 'High', 'Bad', 'Good'],
    ],
  ])('%s shows all of its words', (_name, code, expected) => {
    expect(texts(code)).toEqual(expected);
    expect(drawDiagram(code, '').svg).not.toMatch(/NaN|undefined|Infinity| style=/);
  });

  it.each([
    'pie\n"a" : x',
    'pie',
    'gantt\nA :after nowhere, 3d',
    'gantt\nA :2024-13-45x, 3d',
    'gantt\nexcludes 2024-01-02\nA :2024-01-01, 99999999999d',
    'mindmap\n  a\n  b',
    'gitGraph\ncheckout nowhere',
    'gitGraph\ncommit\nmerge nowhere',
    'timeline\ntitle Nothing',
    'journey\nTea without a score',
    'quadrantChart\nA: [3, 4]',
    `mindmap\n${Array.from({ length: 30 }, (_, depth) => `${' '.repeat(depth + 1)}a`).join('\n')}`,
  ])('the diagram %j is rejected', (code) => {
    expect(() => drawDiagram(code, '')).toThrow();
  });

  it('charts have their title and words as accessible text', () => {
    expect(drawDiagram('pie title Pets\n"Dogs" : 1', '').svg).toContain(
      'aria-label="Pie chart: Pets, Dogs, 100%"',
    );
  });

  it('Gantt tasks follow each other and skip days off', () => {
    const { tasks } = readGantt(
      readDiagramSource(
        'gantt\ndateFormat DD.MM.YYYY\nexcludes weekends\nA :a, 05.01.2024, 2d\nB :b, after a, 1w\nC :12h\nD :01.01.2024, until b\nE :01.02.2024, 1M',
      ),
    );
    const day = (time: number): string => new Date(time).toISOString().slice(5, 13);
    expect(tasks.map(({ start, end }) => `${day(start)} ${day(end)}`).slice(0, 3)).toEqual([
      '01-05T00 01-09T00',
      '01-09T00 01-18T00',
      '01-18T00 01-18T12',
    ]);
  });
});

describe('a page with diagrams', () => {
  it('a page contains drawings without styles, with unique ids, and the source of undrawn diagrams', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => `a${index} --> a${index + 1}`).join('\n');
    const site = await renderFiles({
      'index.mdx': [
        '```mermaid Flow placement="top-left"\n%%{init: {}}%%\ngraph TD\naccTitle: How it goes\nA["<b>x</b>"] --> B\n```',
        '```mermaid actions={false}\nsequenceDiagram\nA->>B: hi\n```',
        '```mermaid\nxychart-beta\nbar [1, 2]\n```',
        `\`\`\`mermaid\ngraph TD\n${many}\n\`\`\``,
        '```mermaid\ngraph TD\nA[open\n```',
      ].join('\n\n'),
    });
    const page = site.content('index.html');
    expect(page).toContain('data-controls="top-left"');
    expect(page).toContain('role="img" aria-label="How it goes"');
    expect(page).toContain('<figcaption>Flow</figcaption>');
    expect(page).not.toMatch(/<style|<[^>]* style=/);
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(page.match(/<svg viewBox/g)).toHaveLength(2);
    expect(page.match(/diagram-note/g)).toHaveLength(3);
    const findings = site.diagnostics.filter(({ code }) => code === 'diagram_unsupported');
    expect(findings.map(({ line }) => line)).toEqual([13, 18, 3024]);
  });
});

describe('labels over several lines', () => {
  it.each([
    [
      `flowchart TD\nA["<div style='color:red'>\n<b>Title</b>\n%% Line\ntitle Two\n</div>"] --> B`,
      'n1[<b>Title</b><br>%% Line<br>title Two]',
    ],
    ['graph LR\nA[<b>Bold</b>\nsecond line] --> B', 'n1[<b>Bold</b><br>second line]'],
    ['graph LR\nA{"<i>Is it?</i>\n<small>maybe</small>"} --> B', 'n1{<i>Is it?</i><br>maybe}'],
  ])('a flowchart keeps every line of the label in %j', (code, node) => {
    expect(flow(code)[0]).toBe(node);
  });
});

describe('sankey diagrams', () => {
  it('a sankey diagram names every node with its amount and draws every flow', () => {
    const { svg } = drawDiagram(
      'sankey-beta\n\nSun,"Heat, direct",12.5\nSun,Power,7.5\nPower,Losses,2.125',
      'd-',
    );
    expect(svg).toContain('aria-label="Sankey diagram: Sun 20, ');
    for (const label of ['Sun 20', 'Heat, direct 12.5', 'Power 7.5', 'Losses 2.125'])
      expect(svg).toContain(`>${label}</text>`);
    expect(svg.match(/<path /g)).toHaveLength(3);
    expect(svg).not.toContain('NaN');
  });

  it.each(['sankey-beta', 'sankey-beta\na,b', 'sankey-beta\na,b,x', 'sankey-beta\na,b,1\nb,a,1'])(
    'a sankey diagram that cannot be drawn is refused: %j',
    (code) => {
      expect(() => drawDiagram(code, 'd-')).toThrow();
    },
  );
});

it('a page draws a sankey diagram, and a flowchart whose labels have several lines of HTML', async () => {
  const { content, codes } = await renderFixture('anomalies/unusual-text');
  const [sankey = '', flowchart = ''] = content('index.html').split('<svg ').slice(-2);
  for (const label of ['Sun', 'Heat', 'Power']) expect(sankey).toContain(label);
  for (const label of ['Title', 'Second line']) expect(flowchart).toContain(`>${label}<`);
  expect(codes).toEqual([]);
});
