/** Site-wide data for page rendering: plain values, sent once to each render process. */
import type { JsonObject } from './json.ts';

export interface SitePlan {
  root: string;
  files: string[];
  routes: string[];
  /** Routes included in this output. Links to other pages point to the published site or nowhere. */
  rendered: string[];
  /** Pages that the readers may not see; `routes` does not contain them. */
  withheld: string[];
  urlStyle: UrlStyle;
  origin: string;
  basePath: string;
  redirects: Redirect[];
  generatedFiles: string[];
  /** Pairs of original and portable name, for names that some file systems reject. */
  renamedRoutes: [string, string][];
  renamedFiles: [string, string][];
  variables: Record<string, string>;
  math: MathMode;
  banner: string;
  iconLibrary: IconLibrary;
  /** By the name that `ApiTarget.spec` uses. */
  specs: Record<string, SpecDocument>;
  /** Groups of the readers; undefined for all pages. */
  groups: readonly string[] | undefined;
  maxSchemaNodes: number;
  api: ApiSettings;
  specInMarkdown: boolean;
  /** Readers have no network: omit features that need one. */
  airGapped: boolean;
  pictures: ReadonlyMap<string, RemotePicture>;
  /** Pages report images of other hosts that are missing from `pictures`. */
  asksForPictures: boolean;
  /** Whether site code that cannot be evaluated statically is executed; otherwise the reason. */
  customCode: 'run' | { refused: string };
  /** The time that site code sees: the commit time, for reproducible output. */
  clockMs: number;
}

export interface ApiSettings {
  openapi: SpecSource[];
  asyncapi: SpecSource[];
  playground: PlaygroundDisplay;
  /** Send the reader's cookies with requests. */
  credentials: boolean;
  expandParameters: boolean;
  parameterPills: string[];
  showsFullUrl: boolean;
  examples: { languages: string[]; onlyRequired: boolean; prefill: boolean; generate: boolean };
  /** Defaults for pages that declare an operation in their front matter. */
  frontMatterDefaults: { servers: string[]; auth?: { method: string; name: string } };
}

export type PlaygroundDisplay = 'interactive' | 'simple' | 'none' | 'auth';

export interface SpecSource {
  source: string;
  directory?: string;
  overlays: string[];
}

export interface Redirect {
  source: string;
  destination: string;
  permanent: boolean;
  index?: number;
}

export type IconLibrary = 'fontawesome' | 'lucide' | 'tabler';

/**
 * How routes map to output files and links. Links are relative, so a site works under any base path and from
 * disk.
 */
export type UrlStyle = 'html' | 'directory' | 'clean';

/** `styling.latex`: true is `always`, false is `never`; unset detects formulas. */
export type MathMode = 'auto' | 'always' | 'never';

export type RemotePicture = { file: string; size: PictureSize | undefined } | { problem: string };

export interface PictureSize {
  width: number;
  height: number;
}

/** Upgraded to OpenAPI 3.1 or AsyncAPI 3, with external references inlined. */
export type SpecDocument = JsonObject;

/** Methods are upper case; paths and names are spelled as in the API description. */
export type ApiTarget =
  | { kind: 'operation'; spec: string; method: string; path: string }
  | { kind: 'webhook'; spec: string; method: string; name: string }
  | { kind: 'schema'; spec: string; name: string }
  | { kind: 'channel'; spec: string; name: string }
  /** Declared in the page's front matter, without a specification. */
  | ({ kind: 'front-matter' } & FrontMatterOperation);

export interface FrontMatterOperation {
  method: string;
  /** A URL or a path. */
  url: string;
  authMethod?: string;
  /** Content type of the body; JSON when absent. */
  contentType?: string;
}
