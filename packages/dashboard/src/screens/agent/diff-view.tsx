import type { AgentDiff } from '@docyard/api';
import { useMemo, useState, type ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Segments } from '../../parts/segments.tsx';
import { counted } from '../../parts/time.tsx';
import { readPatch, rowsOf, type Hunk, type Line, type PatchFile } from './patch.ts';

type File = AgentDiff['files'][number];

/** Files beyond this number of lines start collapsed. */
const linesShownAtOnce = 1500;
const linesOfLongFile = 600;

export function DiffView({ diff, aside }: { diff: AgentDiff; aside?: ReactNode }) {
  const [isSplit, setSplit] = useState(false);
  const [folded, setFolded] = useState<ReadonlySet<string>>(() => foldedAtFirst(diff.files));
  // Patch paths are relative to the repository and list paths to the docs folder; both lists have the same order.
  const patches = useMemo(() => readPatch(diff.patch), [diff.patch]);
  const allFolded = folded.size >= diff.files.length;
  return (
    <div className="diff">
      <div className="diff-bar">
        <p>
          {counted(diff.files.length, 'file')} changed{' '}
          <Counts added={diff.linesAdded} removed={diff.linesRemoved} />
        </p>
        <div className="diff-tools">
          {aside}
          <Button
            look="quiet"
            onClick={() => setFolded(new Set(allFolded ? [] : diff.files.map(({ path }) => path)))}
          >
            {allFolded ? 'Unfold all' : 'Fold all'}
          </Button>
          <Segments
            label="Layout of the diff"
            value={isSplit ? 'two' : 'one'}
            onChange={(next) => setSplit(next === 'two')}
            segments={[
              { value: 'one', label: 'One column' },
              { value: 'two', label: 'Side by side' },
            ]}
          />
          <CopyButton text={diff.patch} label="Copy the patch" />
        </div>
      </div>
      {diff.files.map((file, index) => (
        <DiffFile
          key={file.path}
          file={file}
          patch={patches[index]}
          isSplit={isSplit}
          isOpen={!folded.has(file.path)}
          toggle={() => setFolded(toggled(folded, file.path))}
        />
      ))}
    </div>
  );
}

interface DiffFileProps {
  file: File;
  patch: PatchFile | undefined;
  isSplit: boolean;
  isOpen: boolean;
  toggle: () => void;
}

const verbs: Record<Exclude<File['status'], 'modified'>, string> = {
  added: 'New',
  removed: 'Removed',
  moved: 'Moved',
};

function DiffFile({ file, patch, isSplit, isOpen, toggle }: DiffFileProps) {
  return (
    <section className="diff-file" aria-label={file.path}>
      <h2 className="diff-file-head">
        <button type="button" aria-expanded={isOpen} onClick={toggle}>
          <Icon name="chevron" />
          <span className="diff-path">
            {file.from !== null && <span className="faint">{file.from} → </span>}
            {file.path}
          </span>
          {file.status !== 'modified' && (
            <span className={`diff-verb diff-verb-${file.status}`}>{verbs[file.status]}</span>
          )}
          <Counts added={file.addedLines} removed={file.removedLines} />
        </button>
      </h2>
      {isOpen && <DiffLines path={file.path} patch={patch} isSplit={isSplit} />}
    </section>
  );
}

interface DiffLinesProps {
  path: string;
  patch: PatchFile | undefined;
  isSplit: boolean;
}

export function DiffLines({ path, patch, isSplit }: DiffLinesProps) {
  const [showsAll, setShowsAll] = useState(false);
  if (patch === undefined || patch.hunks.length === 0)
    return (
      <p className="diff-nothing">{patch?.isBinary === true ? 'Binary file.' : 'No line was changed.'}</p>
    );
  const length = patch.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  const hunks = showsAll ? patch.hunks : firstLines(patch.hunks, linesOfLongFile);
  return (
    <>
      <div className="diff-scroll" tabIndex={0} role="region" aria-label={`Lines of ${path}`}>
        <table className={isSplit ? 'diff-table diff-split' : 'diff-table'}>
          {isSplit && (
            <colgroup>
              <col className="diff-column" />
              <col />
              <col className="diff-column" />
              <col />
            </colgroup>
          )}
          <thead className="visually-hidden">
            <tr>
              {(isSplit
                ? ['Old line', 'Old text', 'New line', 'New text']
                : ['Old line', 'New line', 'Text']
              ).map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          {hunks.map((hunk) => (
            <tbody key={`${hunk.lines[0]?.before}-${hunk.lines[0]?.after}`}>
              {!beginsFile(hunk) && (
                <tr className="diff-gap">
                  <td colSpan={isSplit ? 4 : 3}>
                    <span aria-hidden="true">⋯</span> {hunk.title}
                  </td>
                </tr>
              )}
              {isSplit ? <SideBySide hunk={hunk} /> : hunk.lines.map(oneColumn)}
            </tbody>
          ))}
        </table>
      </div>
      {!showsAll && length > linesOfLongFile && (
        <p className="diff-nothing">
          <Button onClick={() => setShowsAll(true)}>Show all {length.toLocaleString('en')} lines</Button>
        </p>
      )}
    </>
  );
}

function beginsFile({ lines: [first] }: Hunk): boolean {
  return (first?.before ?? 1) <= 1 && (first?.after ?? 1) <= 1;
}

const signs = { same: ' ', added: '+', removed: '−' } as const;
const spoken = { same: '', added: 'added: ', removed: 'removed: ' } as const;

function oneColumn(line: Line) {
  return (
    <tr key={`${line.before}-${line.after}`} className={`diff-line diff-${line.kind}`}>
      <td className="diff-number">{line.before}</td>
      <td className="diff-number">{line.after}</td>
      <LineText line={line} />
    </tr>
  );
}

function SideBySide({ hunk }: { hunk: Hunk }) {
  return rowsOf(hunk).map(({ before, after }) => (
    <tr key={`${before?.before}-${after?.after}`} className="diff-line">
      <td className="diff-number">{before?.before}</td>
      <LineText line={before} />
      <td className="diff-number">{after?.after}</td>
      <LineText line={after} />
    </tr>
  ));
}

function LineText({ line }: { line: Line | undefined }) {
  if (line === undefined) return <td className="diff-text diff-absent" />;
  return (
    <td className={`diff-text diff-text-${line.kind}`}>
      <span className="diff-sign" aria-hidden="true">
        {signs[line.kind]}
      </span>
      <span className="visually-hidden">{spoken[line.kind]}</span>
      {line.pieces.map(({ text, isChanged }, index) =>
        // oxlint-disable-next-line react/no-array-index-key -- pieces have no other name and never move
        isChanged ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
      )}
      {line.endsOpen && <span className="faint"> (no line break at the end)</span>}
    </td>
  );
}

export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="diff-counts">
      <span className="diff-plus">
        +{added}
        <span className="visually-hidden"> lines added,</span>
      </span>{' '}
      <span className="diff-minus">
        −{removed}
        <span className="visually-hidden"> lines removed</span>
      </span>
    </span>
  );
}

function foldedAtFirst(files: readonly File[]): Set<string> {
  let lines = 0;
  const folded = new Set<string>();
  for (const { path, addedLines, removedLines } of files) {
    lines += Math.min(addedLines + removedLines, linesOfLongFile);
    if (lines > linesShownAtOnce) folded.add(path);
  }
  return folded;
}

function toggled(set: ReadonlySet<string>, item: string): Set<string> {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}

function firstLines(hunks: readonly Hunk[], max: number): Hunk[] {
  let left = max;
  const kept: Hunk[] = [];
  for (const hunk of hunks) {
    if (left <= 0) break;
    kept.push({ ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return kept;
}
