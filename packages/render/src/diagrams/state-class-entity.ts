/**
 * Normalizes state, class and entity diagrams to the spelling that the drawing library parses; statements
 * that it would silently omit become errors.
 */
import { type DiagramSource, DiagramError, encodeLabel, encodeName, labelText } from './source.ts';

const labelWidth = 30;

function notUnderstood(line: string, index: number): DiagramError {
  return new DiagramError(`"${line.slice(0, 60)}" is not understood`, index + 1);
}

/** Statements about colors and links, which do not change the diagram's meaning. */
const decoration =
  /^(?:classDef|class\s+[\w,\s]+\s+\w+\s*$|style|cssClass|click|link|callback|direction|title)\b/;

export function canonicalState(source: DiagramSource): string {
  const ids = new Map<string, string>();
  const idOf = (name: string): string => {
    if (name === '[*]') return name;
    const clean = name.replace(/:::\w+$/, '');
    if (!ids.has(clean)) ids.set(clean, `s${ids.size + 1}`);
    return ids.get(clean) ?? '';
  };
  const labels = new Map<string, string>();
  const name = String.raw`(\[\*\]|"[^"]+"|[^\s:{}<>]+?)`;
  const transition = new RegExp(`^${name}\\s*-->\\s*${name}(?:\\s*:\\s*(.*))?$`, 'u');
  const output: { text: string; states: string[] }[] = [];
  let notes = 0;
  let openNote: { of: string; lines: string[] } | undefined;
  const addNote = (of: string, text: string): void => {
    const id = `note${++notes}`;
    output.push({ text: `${id} : ${encodeLabel(labelText(text, labelWidth))}`, states: [] });
    output.push({ text: `${idOf(of)} --> ${id}`, states: [of] });
  };
  let depth = 0;
  for (const [index, line] of source.lines.entries()) {
    if (openNote) {
      if (/^end\s*note$/i.test(line)) {
        addNote(openNote.of, openNote.lines.join('\n'));
        openNote = undefined;
      } else openNote.lines.push(line);
      continue;
    }
    const statement = line.replace(/;$/, '');
    if (statement === '' || /^(?:classDef|class|style|hide|scale|title)\b/.test(statement)) continue;
    const direction = /^direction\s+(TD|TB|LR|BT|RL)$/i.exec(statement);
    const moved = transition.exec(statement);
    const composite = /^state\s+(?:"([^"]+)"\s+as\s+)?(\S+)\s*\{$/.exec(statement);
    const special = /^state\s+(\S+)\s*<<(\w+)>>$/.exec(statement);
    const named = /^state\s+"([^"]+)"\s+as\s+(\S+)$/.exec(statement);
    const described = /^([^\s:{}]+)\s*:(?!::)\s*(.+)$/.exec(statement);
    const note = /^note\s+(?:left|right)\s+of\s+([^\s:]+)\s*(?::\s*(.*))?$/i.exec(statement);
    if (direction) output.push({ text: statement, states: [] });
    else if (note?.[2] !== undefined) addNote(note[1] ?? '', note[2]);
    else if (note) openNote = { of: note[1] ?? '', lines: [] };
    else if (moved) {
      const [, from = '', to = '', label = ''] = moved;
      const words = label.trim() ? ` : ${encodeLabel(labelText(label, labelWidth))}` : '';
      output.push({ text: `${idOf(from)} --> ${idOf(to)}${words}`, states: [from, to] });
    } else if (composite) {
      const [, title, id = ''] = composite;
      depth++;
      labels.set(id, '');
      output.push({ text: `state "${encodeLabel(title ?? id)}" as ${idOf(id)} {`, states: [] });
    } else if (statement === '}') {
      depth--;
      output.push({ text: '}', states: [] });
    } else if (special) labels.set(special[1] ?? '', special[2] === 'choice' ? '◇' : '▬▬▬');
    else if (named) labels.set(named[2] ?? '', labelText(named[1] ?? '', labelWidth));
    else if (described) labels.set(described[1] ?? '', labelText(described[2] ?? '', labelWidth));
    else if (/^(?:state\s+)?\S+$/.test(statement) && statement !== '--')
      output.push({ text: '', states: [statement.replace(/^state\s+/, '')] });
    else throw notUnderstood(statement, index);
  }
  if (depth !== 0) throw new DiagramError('a state is not closed with "}"');
  return ['stateDiagram-v2', ...declared(output, labels, idOf)].join('\n');
}

/**
 * Each state is declared with its label at its first occurrence, so that it is placed inside the right
 * parent.
 */
function declared(
  output: readonly { text: string; states: string[] }[],
  labels: ReadonlyMap<string, string>,
  idOf: (name: string) => string,
): string[] {
  const known = new Set<string>();
  return output.flatMap(({ text, states }) => {
    const lines = states.flatMap((state) => {
      const name = state.replace(/:::\w+$/, '');
      const label = labels.get(name);
      if (name === '[*]' || known.has(name) || label === '') return [];
      known.add(name);
      return [`${idOf(name)} : ${encodeLabel(label ?? labelText(name, labelWidth))}`];
    });
    return text ? [...lines, text] : lines;
  });
}

const classArrow = String.raw`<\|--|<\|\.\.|\*--|o--|-->|--\*|--o|--\|>|\.\.>|\.\.\|>|<--|<\.\.|--`;

export function canonicalClass(source: DiagramSource): string {
  const labels = new Map<string, string>();
  const output = ['classDiagram'];
  const relation = new RegExp(
    `^([^\\s"<*:]+?)\\s*(?:"([^"]*)"\\s*)?(${classArrow})\\s*(?:"([^"]*)"\\s*)?([^\\s":]+)\\s*(?::\\s*(.*))?$`,
  );
  const nameOf = (raw: string): string => {
    const generic = /^(.+?)~(.+)~$/.exec(raw);
    return encodeName(
      labels.get(raw) ?? (generic ? `${generic[1]}<${generic[2]}>` : raw.replaceAll('`', '')),
    );
  };
  let inside = false;
  for (const line of source.lines) {
    const label = /^class\s+([^\s["]+)\s*\["([^"]*)"\]/.exec(line);
    if (label) labels.set(label[1] ?? '', label[2] ?? '');
  }
  for (const [index, line] of source.lines.entries()) {
    const statement = line.replace(/;$/, '').replace(/:::\w+/, '');
    if (statement === '') continue;
    if (inside) {
      if (statement === '}') inside = false;
      output.push(/^(?:\}|<<\w+>>)$/.test(statement) ? statement : member(statement));
      continue;
    }
    const block = /^class\s+([^\s[{"]+)\s*(?:\["[^"]*"\])?\s*(\{)?\s*(\})?$/.exec(statement);
    const related = relation.exec(statement);
    const annotation = /^<<(\w+)>>\s+(\S+)$/.exec(statement);
    const attribute = /^([^\s:]+)\s*:\s*(.+)$/.exec(statement);
    const namespace = /^namespace\s+\S+\s*\{$/.test(statement);
    if (block) {
      inside = block[2] !== undefined && block[3] === undefined;
      output.push(`class ${nameOf(block[1] ?? '')}${inside ? ' {' : ''}`);
    } else if (related) {
      const [, from = '', one, arrow = '', many, to = '', words] = related;
      const quote = (text: string | undefined): string =>
        text === undefined ? '' : `"${encodeLabel(text)}" `;
      const suffix = words?.trim() ? ` : ${encodeLabel(labelText(words, labelWidth))}` : '';
      output.push(`${nameOf(from)} ${quote(one)}${arrow} ${quote(many)}${nameOf(to)}${suffix}`);
    } else if (annotation) output.push(`class ${nameOf(annotation[2] ?? '')} {`, `<<${annotation[1]}>>`, '}');
    else if (attribute) output.push(`class ${nameOf(attribute[1] ?? '')} {`, member(attribute[2] ?? ''), '}');
    else if (namespace || statement === '}' || decoration.test(statement)) continue;
    else throw notUnderstood(statement, index);
  }
  if (inside || output.length === 1) throw new DiagramError('a class is not closed with "}"');
  return output.join('\n');
}

/** Visibility and brackets stay; generics are rewritten to the library's syntax. */
function member(text: string): string {
  const generic = text.replaceAll(/~([^~\s]+)~/g, '<$1>');
  const [, sign = '', rest = ''] = /^([+\-#~]?)\s*(.*)$/.exec(generic) ?? [];
  return sign + rest.replaceAll(/[<>[\]{}"':;,=|?&/\\-]/g, (character) => encodeName(character));
}

export function canonicalEntities(source: DiagramSource): string {
  const output = ['erDiagram'];
  const aliases = new Map<string, string>();
  const nameOf = (raw: string): string => encodeName(aliases.get(raw) ?? raw.replaceAll('"', ''));
  let inside = false;
  const name = String.raw`("[^"]+"|[^\s[{"]+)`;
  for (const line of source.lines) {
    const alias = /^([^\s[{"]+)\s*\[\s*"?([^"\]]+?)"?\s*\]/.exec(line);
    if (alias) aliases.set(alias[1] ?? '', alias[2] ?? '');
  }
  const relation = new RegExp(`^${name}\\s*([|o}]{2})(--|\\.\\.)([|o{]{2})\\s*${name}\\s*(?::\\s*(.*))?$`);
  const entity = new RegExp(`^${name}\\s*(?:\\[[^\\]]*\\])?\\s*(\\{)?\\s*(\\})?$`);
  for (const [index, line] of source.lines.entries()) {
    if (line === '') continue;
    if (inside) {
      if (line === '}') inside = false;
      else if (!/^\S+\s+\S+/.test(line)) throw notUnderstood(line, index);
      output.push(
        line === '}' ? line : line.replaceAll(/,\s*(?=[PFU]K)/g, ' ').replaceAll(/[()<>[\]]/g, encodeName),
      );
      continue;
    }
    const related = relation.exec(line);
    const opened = entity.exec(line);
    if (related) {
      const [, from = '', one = '', style = '', many = '', to = '', words = ''] = related;
      const label = encodeLabel(labelText(words, labelWidth)) || '\u200b';
      output.push(`${nameOf(from)} ${one}${style}${many} ${nameOf(to)} : ${label}`);
    } else if (opened && !decoration.test(line)) {
      inside = opened[2] !== undefined && opened[3] === undefined;
      output.push(`${nameOf(opened[1] ?? '')} {`, ...(inside ? [] : ['}']));
    } else if (!decoration.test(line)) throw notUnderstood(line, index);
  }
  if (inside || output.length === 1) throw new DiagramError('an entity is not closed with "}"');
  return output.join('\n');
}
