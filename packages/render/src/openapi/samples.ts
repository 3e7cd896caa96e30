/** Request samples of an operation. The generators escape untrusted text. */
import { type SampleRequest, sampleRequest } from './request.ts';
import { c, dart, kotlin, rust, swift } from './samples-native.ts';
import { csharp, go, java } from './samples-programs.ts';
import { curl, javascript, php, powershell, python, ruby } from './samples-scripts.ts';
import type { CodeSample, OperationView } from './view.ts';
import type { ApiSettings } from '../model/site-plan.ts';

interface Language {
  label: string;
  highlight: string;
  write: (request: SampleRequest) => string;
}

const LANGUAGES = new Map<string, Language>([
  ['curl', { label: 'cURL', highlight: 'bash', write: curl }],
  ['python', { label: 'Python', highlight: 'python', write: python }],
  ['javascript', { label: 'JavaScript', highlight: 'javascript', write: javascript }],
  ['php', { label: 'PHP', highlight: 'php', write: php }],
  ['go', { label: 'Go', highlight: 'go', write: go }],
  ['java', { label: 'Java', highlight: 'java', write: java }],
  ['ruby', { label: 'Ruby', highlight: 'ruby', write: ruby }],
  ['csharp', { label: 'C#', highlight: 'csharp', write: csharp }],
  ['node', { label: 'Node.js', highlight: 'javascript', write: javascript }],
  ['typescript', { label: 'TypeScript', highlight: 'typescript', write: javascript }],
  ['powershell', { label: 'PowerShell', highlight: 'powershell', write: powershell }],
  ['swift', { label: 'Swift', highlight: 'swift', write: swift }],
  ['kotlin', { label: 'Kotlin', highlight: 'kotlin', write: kotlin }],
  ['rust', { label: 'Rust', highlight: 'rust', write: rust }],
  ['dart', { label: 'Dart', highlight: 'dart', write: dart }],
  ['c', { label: 'C', highlight: 'c', write: c }],
  ['c++', { label: 'C++', highlight: 'cpp', write: c }],
]);

const SHOWN_BY_DEFAULT = ['curl', 'python', 'javascript', 'php', 'go', 'java', 'ruby', 'csharp'];

const OTHER_NAMES = new Map([
  ['bash', 'curl'],
  ['shell', 'curl'],
  ['sh', 'curl'],
  ['py', 'python'],
  ['js', 'javascript'],
  ['nodejs', 'node'],
  ['node.js', 'node'],
  ['ts', 'typescript'],
  ['golang', 'go'],
  ['rb', 'ruby'],
  ['c#', 'csharp'],
  ['cs', 'csharp'],
  ['dotnet', 'csharp'],
  ['cpp', 'c++'],
  ['kt', 'kotlin'],
  ['rs', 'rust'],
]);

/** Samples of the specification come first and replace generated ones in the same language. */
export function requestSamples(view: OperationView, settings: ApiSettings['examples']): CodeSample[] {
  const own = view.ownSamples.map((sample) => ({
    ...sample,
    language: LANGUAGES.get(languageId(sample.language))?.highlight ?? sample.language,
  }));
  if (!settings.generate || view.kind === 'webhook') return own;
  const covered = new Set(view.ownSamples.map((sample) => languageId(sample.language)));
  const request = sampleRequest(view, settings.onlyRequired);
  const ids = settings.languages.length > 0 ? settings.languages.map(languageId) : SHOWN_BY_DEFAULT;
  const generated = [...new Set(ids)].flatMap((id) => {
    const language = covered.has(id) ? undefined : LANGUAGES.get(id);
    return language
      ? [{ language: language.highlight, label: language.label, code: language.write(request) }]
      : [];
  });
  return [...own, ...generated];
}

function languageId(name: string): string {
  const lower = name.toLowerCase();
  return OTHER_NAMES.get(lower) ?? lower;
}
