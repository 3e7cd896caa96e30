/** The secret of a key that was made just now, ready to be used. It is nowhere else and never comes back. */
import { scopesGrant, type CreatedKey } from '@docyard/api';
import { Button } from '../../parts/button.tsx';
import { CodeBlock, CopyField } from '../../parts/copy.tsx';
import { DialogActions } from '../../parts/dialog.tsx';
import { Note } from '../../parts/note.tsx';

export function KeyShownOnce({ made, onClose }: { made: CreatedKey; onClose: () => void }) {
  const { origin } = globalThis.location;
  return (
    <div className="form">
      <Note tone="warn">
        Copy the key of <strong>{made.name}</strong> now. It is shown this once: the server keeps only a hash
        of it.
      </Note>
      <div className="shown-once">
        <CopyField text={made.key} label="key" />
      </div>
      <div className="field">
        <span className="field-label">Try it</span>
        <CodeBlock
          text={`curl ${origin}${firstRead(made)} -H "Authorization: Bearer ${made.key}"`}
          label="curl line"
        />
      </div>
      <div className="field">
        <span className="field-label">In an .env file</span>
        <CodeBlock text={`DOCYARD_URL=${origin}\nDOCYARD_KEY=${made.key}`} label=".env lines" />
      </div>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </div>
  );
}

/** Something to ask for that shows how far the key reaches. */
function firstRead({ projectId, scopes }: CreatedKey): string {
  return projectId !== null && scopesGrant(scopes, 'projects:read') ? `/v1/projects/${projectId}` : '/v1/me';
}
