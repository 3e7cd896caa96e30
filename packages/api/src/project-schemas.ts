import * as z from 'zod';
import { ProjectAgent, SetProjectAgent } from './project-agent-schemas.ts';
import { CustomScripts } from './export-schemas.ts';
import {
  Domain,
  expectedVersion,
  gitRef,
  namesField,
  recordVersion,
  staysInside,
  timestamp,
} from './primitives.ts';

export const Source = z
  .strictObject({
    repository: z
      .string()
      .trim()
      .min(1)
      .max(2048)
      .meta({ description: 'An https:// git address, a file:// git address, or an absolute folder.' }),
    ref: gitRef.nullish(),
    directory: z
      .string()
      .max(1024)
      .refine(staysInside, 'The path must not contain "..".')
      .nullish()
      .meta({ description: 'The folder that contains docs.json.' }),
  })
  .meta({ id: 'Source' });

export const ProjectExports = z
  .object({
    customScripts: CustomScripts.meta({
      description: 'Whether scripts of the repository run on every page, unless an export says otherwise.',
    }),
  })
  .meta({ id: 'ProjectExports' });
export type ProjectExports = z.infer<typeof ProjectExports>;

const projectName = z.string().trim().min(1).max(128);

export const CreateProject = z
  .strictObject({ name: projectName, domain: Domain, source: Source })
  .meta({ id: 'CreateProject' });
export type CreateProject = z.infer<typeof CreateProject>;

export const UpdateProject = z
  .strictObject({
    name: projectName.optional(),
    domain: Domain.optional(),
    source: Source.optional(),
    agent: SetProjectAgent.optional().meta({
      description: 'Settings for agent jobs. Omitted fields stay unchanged.',
    }),
    exports: z
      .strictObject({ customScripts: CustomScripts })
      .partial()
      .optional()
      .meta({ description: 'Defaults for exports. Omitted fields stay unchanged.' }),
    version: expectedVersion,
  })
  .refine(namesField, 'Set at least one field to change: name, domain, source, agent or exports.')
  .meta({ id: 'UpdateProject' });
export type UpdateProject = z.infer<typeof UpdateProject>;

export const Project = z
  .object({
    id: z.string(),
    name: z.string(),
    domain: z.string(),
    source: z.object({
      repository: z.string(),
      ref: z.string().nullable(),
      directory: z.string().nullable(),
    }),
    agent: ProjectAgent,
    exports: ProjectExports,
    createdAt: timestamp,
    updatedAt: timestamp,
    version: recordVersion,
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof Project>;
