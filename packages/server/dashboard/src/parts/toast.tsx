/** Short messages in the corner: that something was done. What went wrong is said where it went wrong. */
import { Toast } from '@base-ui/react/toast';
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';

export function Toasts({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider timeout={5000}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Icon name="check" />
      <Toast.Title className="toast-title" />
      <Toast.Close className="icon-button" aria-label="Close">
        <Icon name="close" />
      </Toast.Close>
    </Toast.Root>
  ));
}

export function useToast(): (title: string) => void {
  const manager = Toast.useToastManager();
  return (title) => {
    manager.add({ title });
  };
}
