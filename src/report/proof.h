#pragma once

#include "prove/tree_proof.h"
#include "report/report.h"

namespace accelport {

/// `accelport.prove/1`, for programs.
void write_proof_json(const TreeProof& proof, const Sink& sink);

/// For people: each place that is not the same, then the counts.
void write_proof_text(const TreeProof& proof, const TextStyle& style, const Sink& sink);

}  // namespace accelport
