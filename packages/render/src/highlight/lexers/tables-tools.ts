import { isWord } from './characters.ts';
import type { Table } from './family.ts';
import { characterAt, color, paint } from './paint.ts';

const { keyword, number, type, function: call, variable } = color;
const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

export const powershell: Table = {
  ignoresCase: true,
  words: [
    [
      'begin break catch class continue data do dynamicparam else elseif end exit filter finally for foreach function if in param process return switch throw trap try until using while',
      keyword,
    ],
    [
      'cat cd cls copy cp curl del dir docker echo git iex invoke irm iwr kill ls mkdir move mv node npm npx pip pwd python rm rmdir scoop select set sort tee where winget write',
      call,
    ],
  ],
  lineComments: ['#'],
  blockComments: [['<#', '#>']],
  strings: [
    { open: '"', isMultiline: true, isRaw: true, hasVariables: true },
    { open: "'", isMultiline: true, isRaw: true },
  ],
  sigils: { $: variable },
  special: {
    signs: `[${capitals}`,
    read: (code, at) => readMatch(cmdlet, code, at, call) || readMatch(bracketed, code, at, type),
  },
};

export const batch: Table = {
  ignoresCase: true,
  words: [
    [
      'call cd choice copy defined del dir do echo else errorlevel exist exit for goto if in mkdir move not pause popd pushd ren rmdir set setlocal endlocal shift start title type',
      keyword,
    ],
  ],
  lineComments: ['::', 'REM ', 'rem '],
  strings: [{ open: '"', isRaw: true }],
  special: { signs: '%', read: (code, at) => readMatch(percented, code, at, variable) },
};

export const mermaid: Table = {
  words: [
    [
      'graph flowchart sequenceDiagram classDiagram stateDiagram erDiagram gantt pie journey gitGraph mindmap timeline quadrantChart subgraph end participant actor as note over of left right loop alt else opt par and rect critical activate deactivate autonumber title section dateFormat axisFormat state class classDef style linkStyle click direction',
      keyword,
    ],
    ['TD TB BT LR RL', number],
  ],
  lineComments: ['%%'],
  strings: [{ open: '"' }],
};

const cmdlet = /[A-Z][A-Za-z]+-[A-Za-z]+/y;
const bracketed = /\[[A-Za-z][\w.]{0,100}(?:\[\])?\]/y;
const percented = /%[\w.]{1,60}%|%~?\w/y;

function readMatch(pattern: RegExp, code: string, at: number, painted: number): number {
  if (isWord(characterAt(at - 1))) return 0;
  pattern.lastIndex = at;
  const end = pattern.test(code) ? pattern.lastIndex : 0;
  paint(at, end, painted);
  return end;
}
