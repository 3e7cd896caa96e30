/**
 * Starts the program that counts the terms of pages, and stands between its memory and JavaScript: texts go in as code
 * units, and come out of it as strings. What the program does is told in `assembly/search`.
 */
import { AssemblyProgram, compiledOnce } from '../text/assembly-program.ts';
import { kindOfUnit } from './unit-kinds.ts';

/** What the program asks for while it runs. Words are given by where their code units are, and how many. */
export interface Asked {
  askForWord(place: number, length: number): void;
  askForRun(place: number, length: number): void;
  askForPair(left: number, right: number): number;
  isCommon(place: number, bytes: number): boolean;
  stepOf(weight: number): number;
}

/** As they are told in `assembly/search`. */
interface Exports {
  memory: WebAssembly.Memory;
  roomForHtml(length: number): number;
  read(length: number): number;
  roomForField(length: number): number;
  beginPage(boost: number): void;
  addField(weight: number): void;
  addKeyword(weight: number): void;
  endKeywords(): void;
  countSections(): void;
  pack(): number;
  packedPlace(): number;
  roomForMeaning(numbers: number): number;
  give(): void;
  roomForTerm(bytes: number): number;
  termNumber(bytes: number): number;
  knownWords(): number;
  forget(): void;
  kindsPlace(): number;
  sectionsPlace(): number;
  idsPlace(): number;
  titlesPlace(): number;
  textPlace(): number;
  codePlace(): number;
}

/** Where its id, its title, its text and its code stand among those of all. */
export interface Section {
  idStart: number;
  idEnd: number;
  titleStart: number;
  titleEnd: number;
  textStart: number;
  textEnd: number;
  codeStart: number;
  codeEnd: number;
}

export class TermProgram extends AssemblyProgram<Exports> {
  constructor(asked: Asked) {
    super(compiled(), { env: { ...asked } });
    this.bytes.set(kindOfUnit, this.run.kindsPlace());
  }

  /** Where they go is where numbers may begin. */
  writeNumbers(numbers: readonly number[], place: number): void {
    this.numbers(place, numbers.length).set(numbers);
  }

  write(text: string, place: number): void {
    this.bytes.write(text, place, 'utf16le');
  }

  /** The sections that were read last. */
  sections(count: number): Section[] {
    const numbers = this.numbers(this.run.sectionsPlace(), count * numbersOfSection);
    return Array.from({ length: count }, (_, index) => {
      const at = (offset: number): number => numbers[index * numbersOfSection + offset] as number;
      return {
        idStart: at(0),
        idEnd: at(1),
        titleStart: at(2),
        titleEnd: at(3),
        textStart: at(4),
        textEnd: at(5),
        codeStart: at(6),
        codeEnd: at(7),
      };
    });
  }

  /** Terms are kept in UTF-8. */
  termText(place: number, bytes: number): string {
    return this.bytes.toString('utf8', place, place + bytes);
  }

  string(place: number, from: number, to: number): string {
    return from === to ? '' : this.bytes.toString('utf16le', place + from * 2, place + to * 2);
  }
}

/** As `Section` in `assembly/search/sections.ts`. */
const numbersOfSection = 10;

const compiled = compiledOnce(new URL('page-terms.wasm', import.meta.url));
