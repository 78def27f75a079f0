#include "catalog/helper_table.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "prove/tree_proof.h"
#include "report/proof.h"

namespace accelport {

Result<int> run_prove_verb(const ProveCommand& command) {
  const Files& files = real_files();
  TRY(const Catalog catalog, load_catalog(embedded_data()));
  TRY(const HelperTable table, embedded_helper_table());
  const TreeProofOptions options{command.path, command.base, command.common.include, command.common.exclude,
                                 command.common.jobs};
  TRY(const TreeProof proof, prove_tree(options, catalog, table, files, real_processes()));
  Output output(command.common.output);
  if (command.common.format == Format::json) {
    write_proof_json(proof, output.sink());
  } else {
    const TextStyle style{use_colour(command.common.colour, !command.common.output.empty()), terminal_width(), false,
                          command.common.quiet};
    write_proof_text(proof, style, output.sink());
  }
  TRY_DO(output.finish(files));
  return proof.is_identical() ? kExitClean : kExitFindings;
}

}  // namespace accelport
