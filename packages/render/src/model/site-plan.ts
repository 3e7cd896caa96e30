/** What every page of a site has in common: plain data, sent once to each process that renders pages. */
import type { JsonObject } from './json.ts';

/** What every page of a site has in common. Sent once to each process. */
export interface SitePlan {
  root: string;
  files: string[];
  routes: string[];
  /** The pages that are part of this output; links to the others lead to the published site or nowhere. */
  rendered: string[];
  urlStyle: UrlStyle;
  origin: string;
  basePath: string;
  redirects: Redirect[];
  /** Patterns of the paths that outputs are written to, from the table of outputs. */
  generatedFiles: string[];
  /** Pages and files whose names not every file system can hold: as written, and as used. */
  renamedRoutes: [string, string][];
  renamedFiles: [string, string][];
  variables: Record<string, string>;
  math: MathMode;
  banner: string;
  iconLibrary: IconLibrary;
  /** The API descriptions of the site, by the name that targets use. */
  specs: Record<string, SpecDocument>;
  /** How many schema nodes each API page may show. */
  maxSchemaNodes: number;
  api: ApiSettings;
  /** The Markdown of an API page holds its part of the specification. */
  specInMarkdown: boolean;
  /** Where the output goes nothing can be reached: pages offer nothing that needs a network. */
  airGapped: boolean;
  /** What became of pictures of other hosts, by address. */
  pictures: ReadonlyMap<string, RemotePicture>;
  /** Pages say which other ones they would show. */
  asksForPictures: boolean;
  /** Whether code of the site that must be run is run; otherwise why not. */
  customCode: 'run' | { refused: string };
  /** What time it is for that code: the time of the commit, so that the same site gives the same bytes. */
  clockMs: number;
}

export interface ApiSettings {
  openapi: SpecSource[];
  asyncapi: SpecSource[];
  playground: PlaygroundDisplay;
  /** Cookies of the reader go along with a request. */
  credentials: boolean;
  expandParameters: boolean;
  /** Labels after every parameter. */
  parameterPills: string[];
  /** The whole address instead of the path. */
  showsFullUrl: boolean;
  examples: { languages: string[]; onlyRequired: boolean; prefill: boolean; generate: boolean };
  /** For pages that describe an operation themselves. */
  written: { servers: string[]; auth?: { method: string; name: string } };
}

export type PlaygroundDisplay = 'interactive' | 'simple' | 'none' | 'auth';

export interface SpecSource {
  /** A file of the site, a folder, or an address on another host. */
  source: string;
  /** Where its generated pages live. */
  directory?: string;
  overlays: string[];
}

export interface Redirect {
  source: string;
  destination: string;
  permanent: boolean;
  /** Which entry of the configuration it is, for saying where it stands. */
  index?: number;
}

export type IconLibrary = 'fontawesome' | 'lucide' | 'tabler';

/**
 * Where a page is written and how other pages name it, for each of the three address styles.
 * Links are always relative, so a site works from any folder, under any base path and from disk.
 */
export type UrlStyle = 'html' | 'directory' | 'clean';

/** What `styling.latex` asks for: true takes every `$…$`, false none, and without it only what looks like a formula. */
export type MathMode = 'auto' | 'always' | 'never';

/** What became of a picture: a file of the output, or the reason why there is none. */
export type RemotePicture = { file: string; size: PictureSize | undefined } | { problem: string };

export interface PictureSize {
  width: number;
  height: number;
}

/** A description that was read, upgraded to OpenAPI 3.1 (or AsyncAPI 3), with all of its references inside of itself. */
export type SpecDocument = JsonObject;

/** Methods are in upper case; paths and names are those of the description, not as the page spells them. */
export type ApiTarget =
  | { kind: 'operation'; spec: string; method: string; path: string }
  | { kind: 'webhook'; spec: string; method: string; name: string }
  | { kind: 'schema'; spec: string; name: string }
  | { kind: 'channel'; spec: string; name: string }
  /** An operation that its page describes itself; no specification is behind it. */
  | ({ kind: 'written' } & WrittenOperation);

/** An operation that its page describes itself. */
export interface WrittenOperation {
  method: string;
  /** A whole address or a path. */
  url: string;
  /** How requests are authorized, where the page differs from the site. */
  authMethod?: string;
  /** What the body is sent as, when it is not JSON. */
  contentType?: string;
}
