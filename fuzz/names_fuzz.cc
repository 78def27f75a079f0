// The names, guards and flows of programs: the input's bytes pick statements, so that most of it makes sense.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "python_checks.h"

namespace {

constexpr std::string_view kPieces[] = {"import torch\n",
                                        "import torch.cuda as cuda\n",
                                        "from torch import cuda as b\n",
                                        "from . import cuda\n",
                                        "from torch.cuda import *\n",
                                        "cuda",
                                        "torch",
                                        "a",
                                        "b",
                                        "self",
                                        ".",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        ", ",
                                        "=",
                                        " == ",
                                        ":",
                                        ":\n",
                                        "\n",
                                        "\n  ",
                                        "\n    ",
                                        "def ",
                                        "class ",
                                        "lambda ",
                                        "if ",
                                        "elif ",
                                        "else",
                                        "for ",
                                        " in ",
                                        "while ",
                                        "try:\n",
                                        "except ",
                                        "with ",
                                        " as ",
                                        "return ",
                                        "raise ",
                                        "assert ",
                                        "not ",
                                        " and ",
                                        " or ",
                                        " if ",
                                        " else ",
                                        "global ",
                                        "del ",
                                        "yield ",
                                        "await ",
                                        "async ",
                                        "match ",
                                        "case ",
                                        "@",
                                        "*",
                                        "**",
                                        "'cuda'",
                                        "\"cuda:0\"",
                                        "f'cuda{",
                                        "}'",
                                        "'cpu'",
                                        "# cuda\n",
                                        "torch.cuda.is_available()",
                                        "x.to(0)",
                                        ".cuda()",
                                        "os.environ",
                                        "getattr(",
                                        "a = torch.cuda\n",
                                        "device",
                                        "'''",
                                        ";",
                                        "\\\n",
                                        " := ",
                                        " -> ",
                                        "0",
                                        "-",
                                        "+",
                                        "%",
                                        "import ",
                                        "from "};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string program;
  for (std::size_t i = 0; i < size; ++i) program += kPieces[data[i] % std::size(kPieces)];
  const accelport::PaddedText text(reinterpret_cast<const std::uint8_t*>(program.data()), program.size());
  accelport::check_python(text.view());
  return 0;
}
