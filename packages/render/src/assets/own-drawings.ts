/**
 * Drawings of the repository as files of the output. A browser runs the code of one that is opened as a page, in the name of the
 * site, so code is left out and reported; all others stay as they are.
 */
import { readFileSync, statSync } from 'node:fs';
import type { Diagnostic } from '../model/diagnostic.ts';
import { readOwnSvg } from './safe-svg.ts';

const maxBytes = 10_000_000;

export type OwnDrawing =
  | { kind: 'unchanged' }
  | { kind: 'cleaned'; content: string; finding: Diagnostic }
  | { kind: 'refused'; finding: Diagnostic };

export function isDrawing(file: string): boolean {
  return /\.svg$/i.test(file);
}

export function readDrawing(path: string, file: string): OwnDrawing {
  if (statSync(path).size > maxBytes)
    return { kind: 'refused', finding: refusal(file, `it is larger than ${maxBytes / 1e6} MB`) };
  const read = readOwnSvg(new TextDecoder().decode(readFileSync(path)));
  if (read === undefined) return { kind: 'refused', finding: refusal(file, 'it is no well-formed SVG') };
  return read.isActive
    ? { kind: 'cleaned', content: read.safe, finding: cleaned(file) }
    : { kind: 'unchanged' };
}

function cleaned(file: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'svg_active',
    message: 'The drawing holds code, which was left out',
    file,
    hint: 'Export it again without scripts, event handlers and embedded pages.',
  };
}

function refusal(file: string, reason: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'svg_unreadable',
    message: `The drawing was left out: ${reason}`,
    file,
    hint: 'Open it in a drawing program and export it as plain SVG.',
  };
}
