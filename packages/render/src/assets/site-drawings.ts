/**
 * Writes SVG files of the repository to the output. Security: a browser runs the scripts of a drawing that is
 * opened as a page, so active content is removed and reported; other drawings are copied.
 */
import { readFileSync, statSync } from 'node:fs';
import type { Diagnostic } from '../model/diagnostic.ts';
import { readOwnSvg } from './safe-svg.ts';

const maxBytes = 10_000_000;

export type SiteDrawing =
  | { kind: 'unchanged' }
  | { kind: 'cleaned'; content: string; finding: Diagnostic }
  | { kind: 'refused'; finding: Diagnostic };

export function isDrawing(file: string): boolean {
  return /\.svg$/i.test(file);
}

export function readDrawing(path: string, file: string): SiteDrawing {
  if (statSync(path).size > maxBytes)
    return { kind: 'refused', finding: refusal(file, `it is larger than ${maxBytes / 1e6} MB`) };
  const read = readOwnSvg(new TextDecoder().decode(readFileSync(path)));
  if (read === undefined) return { kind: 'refused', finding: refusal(file, 'it is not well-formed SVG') };
  return read.isActive
    ? { kind: 'cleaned', content: read.safe, finding: cleaned(file) }
    : { kind: 'unchanged' };
}

function cleaned(file: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'svg_active',
    message: 'The drawing contains code, which was removed',
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
