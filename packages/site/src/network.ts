/** Hosts that the operator configures, and internal addresses. */
export { isInternalAddress, plainAddress } from './network/internal-addresses.ts';
export {
  addressesOfThisMachine,
  isThisMachine,
  disableMetadataService,
  OfflineError,
  peerFetch,
  refuseDistantPeer,
} from './network/peers.ts';
