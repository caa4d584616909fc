export default {
  // It has threads and files of its own, which a bundle would not find.
  serverExternalPackages: ['turnpike'],
};
