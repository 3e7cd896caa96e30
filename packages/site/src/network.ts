/** Hosts that the operator names, and addresses that the internet does not reach. */
export { isInternalAddress, plainAddress } from './network/internal-addresses.ts';
export {
  addressesOfThisMachine,
  isThisMachine,
  keepLibrariesHome,
  OfflineError,
  peerFetch,
  refuseDistantPeer,
} from './network/peers.ts';
