/** Separate from the schemas so that the CLI can start without loading zod. */
export const exportStatuses = ['queued', 'running', 'completed', 'failed'] as const;
